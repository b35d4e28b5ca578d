//! Python: a shop with prices, inheritance, a registry by name and a decorator.

use super::*;

const FILES: &[(&str, &str)] = &[
    (
        "shop/cart.py",
        "from shop.price import Price, total
from shop import audit


class Cart:
    def __init__(self, owner):
        self.owner = owner
        self.items = []

    def add(self, item):
        self.check(item)
        self.items.append(item)
        audit.record('add', item)

    def check(self, item):
        if not item.price.valid():
            raise ValueError(item)

    def checkout(self, method):
        amount = total(self.items)
        pay = getattr(self, 'pay_' + method)
        return pay(amount)

    def pay_card(self, amount):
        return Price(amount).charge()

    def pay_cash(self, amount):
        return amount


class GiftCart(Cart):
    def check(self, item):
        super().check(item)
        wrap(item)


def wrap(item):
    item.wrapped = True


def build(owner, gift):
    kind = GiftCart if gift else Cart
    cart = kind(owner)
    cart.add(sample())
    return cart


def sample():
    return Item(Price(1))


class Item:
    def __init__(self, price):
        self.price = price
",
    ),
    (
        "shop/price.py",
        "from shop.audit import traced


class Price:
    def __init__(self, amount):
        self.amount = normalise(amount)

    def valid(self):
        return self.amount >= 0

    @traced
    def charge(self):
        send(self.amount)
        return self.amount


def normalise(amount):
    return round(amount, 2)


def total(items):
    return sum(map(cost, items))


def cost(item):
    return item.price.amount


def send(amount):
    connection = connect()
    connection.send(amount)


def connect():
    return Connection()


class Connection:
    def send(self, amount):
        self.flush()

    def flush(self):
        pass
",
    ),
    (
        "shop/audit.py",
        "LOG = []


def record(kind, item):
    LOG.append(entry(kind, item))


def entry(kind, item):
    return (kind, item)


def traced(function):
    def wrapper(*args):
        record(function.__name__, args)
        return function(*args)
    return wrapper
",
    ),
];

/// Written down by hand. A class that is called stands for its constructor.
const CALLS: &[&str] = &[
    "Cart.add -> Cart.check",
    // `add` is inherited.
    "Cart.add -> GiftCart.check",
    "Cart.add -> record",
    "Cart.check -> Price.valid",
    "Cart.checkout -> total",
    // By `getattr`.
    "Cart.checkout -> Cart.pay_card",
    "Cart.checkout -> Cart.pay_cash",
    "Cart.pay_card -> Price",
    "Cart.pay_card -> Price.charge",
    "GiftCart.check -> Cart.check",
    "GiftCart.check -> wrap",
    // By the variable `kind`.
    "build -> Cart",
    "build -> GiftCart",
    "build -> Cart.add",
    "build -> sample",
    "sample -> Item",
    "sample -> Price",
    "Price.__init__ -> normalise",
    "Price.charge -> send",
    // Passed to `map`.
    "total -> cost",
    "send -> connect",
    "send -> Connection.send",
    "connect -> Connection",
    "Connection.send -> Connection.flush",
    "record -> entry",
    "traced.wrapper -> record",
    // By the parameter `function`.
    "traced.wrapper -> Price.charge",
];

#[test]
fn calls_of_python_are_found() {
    check(FILES, CALLS, 95, 74);
}
