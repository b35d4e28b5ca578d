//! Parses token prices from their three forms: tables in the file, and strings.

use super::layer::Value;
use super::read::Problem;
use super::values::Price;

/// Significant digits after the point: a millionth of the currency's unit.
const DIGITS: usize = 6;

/// The members of a table, in the order of the string form.
const MEMBERS: [&str; 5] = ["model", "input", "cached", "output", "currency"];

/// A list of prices: tables of the file, or `MODEL:INPUT:CACHED:OUTPUT:CURRENCY`, separated by commas.
pub(super) fn prices(value: &Value) -> Result<Vec<Price>, Problem> {
    let prices: Vec<Price> = match value {
        Value::Word(text) => {
            let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
            words.map(of_word).collect::<Result<_, _>>()?
        }
        Value::List(items) => items.iter().map(of_table).collect::<Result<_, _>>()?,
        _ => return Err(malformed("expected a list of prices")),
    };
    for (place, price) in prices.iter().enumerate() {
        if prices[..place].iter().any(|earlier| earlier.model == price.model) {
            let problem = format!("{} has two prices", price.model);
            return Err(Problem::new(problem, "give each model one"));
        }
    }
    Ok(prices)
}

fn malformed(problem: impl Into<String>) -> Problem {
    let mend = "write [[window.price]] with model = \"gpt-5.5\", input = 1.25, cached = 0.125, \
                output = 10, currency = \"USD\"; each for a million tokens";
    Problem::new(problem, mend)
}

fn of_word(word: &str) -> Result<Price, Problem> {
    // A model's name may contain a colon.
    let mut parts = word.rsplitn(MEMBERS.len(), ':');
    let mut next = || parts.next().map(|part| Value::Word(part.to_owned()));
    let [currency, output, cached, input, model] = [next(), next(), next(), next(), next()];
    of_members([model, input, cached, output, currency])
}

fn of_table(value: &Value) -> Result<Price, Problem> {
    let Value::Table(members) = value else { return Err(malformed("a price is a table")) };
    if let Some((name, _)) = members.iter().find(|(name, _)| !MEMBERS.contains(&name.as_str())) {
        return Err(malformed(format!("a price has no {name:?}")));
    }
    let member = |wanted: &str| {
        members.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone())
    };
    of_members(MEMBERS.map(member))
}

fn of_members(members: [Option<Value>; 5]) -> Result<Price, Problem> {
    let missing = MEMBERS.iter().zip(&members).find(|(_, value)| value.is_none());
    if let Some((name, _)) = missing {
        return Err(malformed(format!("a price lacks {name:?}")));
    }
    let [model, input, cached, output, currency] = members.map(|value| value.and_then(word));
    let price = || {
        Some(Price {
            model: model?,
            input: millionths(&input?)?,
            cached: millionths(&cached?)?,
            output: millionths(&output?)?,
            currency: currency?,
        })
    };
    price().ok_or_else(|| malformed("a price has three numbers from 0 to 1000000 and two texts"))
}

/// A text or a number as it was written.
fn word(value: Value) -> Option<String> {
    let text = match value {
        Value::Word(text) | Value::Text(text) | Value::Float(text) => text,
        Value::Whole(number) => number.to_string(),
        _ => return None,
    };
    let text = text.trim().to_owned();
    (1..=100).contains(&text.len()).then_some(text)
}

/// A decimal number in millionths, exactly.
fn millionths(text: &str) -> Option<u64> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty()
        || whole.len() > 7
        || rest.len() > DIGITS
        || !is_digits(whole)
        || !is_digits(rest)
    {
        return None;
    }
    let digits = format!("{whole}{rest:0<DIGITS$}");
    digits.parse().ok().filter(|number| *number <= 1_000_000 * 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Model, three numbers, currency.
    type Parts = (&'static str, u64, u64, u64, &'static str);

    fn check(value: Value, expected: Result<&[Parts], &str>) {
        let found = prices(&value).map_err(|problem| problem.problem);
        let expected = expected.map_err(str::to_owned).map(|prices| {
            let price = |(model, input, cached, output, currency): &Parts| {
                let (model, currency) = ((*model).to_owned(), (*currency).to_owned());
                Price { model, input: *input, cached: *cached, output: *output, currency }
            };
            prices.iter().map(price).collect::<Vec<_>>()
        });
        assert_eq!(found, expected, "{value:?}");
    }

    #[test]
    fn a_price_is_read_exactly_or_not_at_all() {
        let words = |text: &str| Value::Word(text.to_owned());
        check(words(""), Ok(&[]));
        check(
            words("gpt-5.5:1.25:0.125:10:USD, a:b:0:0:0.000001:EUR"),
            Ok(&[("gpt-5.5", 1_250_000, 125_000, 10_000_000, "USD"), ("a:b", 0, 0, 1, "EUR")]),
        );
        let numbers = "a price has three numbers from 0 to 1000000 and two texts";
        for wrong in [
            "a:-1:0:0:X",
            "a:1e3:0:0:X",
            "a:1.0000001:0:0:X",
            "a:.5:0:0:X",
            "a:1000001:0:0:X",
            "a:1:2:x:X",
            ":1:2:3:X",
        ] {
            check(words(wrong), Err(numbers));
        }
        check(words("a:1:2:X"), Err("a price lacks \"model\""));
        check(words("a:1:1:1:X,a:2:2:2:X"), Err("a has two prices"));

        let member = |name: &str, value: Value| (name.to_owned(), value);
        let text = |text: &str| Value::Text(text.to_owned());
        let mut table = vec![
            member("model", text("m")),
            member("input", Value::Float("1.5".to_owned())),
            member("cached", Value::Whole(0)),
            member("output", Value::Whole(3)),
            member("currency", text("USD")),
        ];
        let list = |table: &[(String, Value)]| Value::List(vec![Value::Table(table.to_vec())]);
        check(list(&table), Ok(&[("m", 1_500_000, 0, 3_000_000, "USD")]));
        table[4].0 = "curency".to_owned();
        check(list(&table), Err("a price has no \"curency\""));
        table.pop();
        check(list(&table), Err("a price lacks \"currency\""));
        check(text("m"), Err("expected a list of prices"));
        check(Value::List(vec![text("m")]), Err("a price is a table"));
    }
}
