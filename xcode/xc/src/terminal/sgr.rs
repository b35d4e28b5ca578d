//! Colours and text attributes as control sequences (ECMA-48 SGR). Not here: the choice of styles.

use std::fmt::Write as _;

use ratatui_core::style::{Color, Modifier, Style};

/// Whether colours are used (`NO_COLOR`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colours {
    /// They are.
    On,
    /// They are not; bold, underlined and reversed text remains.
    Off,
}

/// The attributes in use, with their numbers.
const WEIGHTS: [(Modifier, u8); 6] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::REVERSED, 7),
    (Modifier::CROSSED_OUT, 9),
];

/// The numbers of `style`, as `;1;31`; empty for the terminal's own style.
pub(super) fn numbers(style: Style, colours: Colours) -> String {
    let mut numbers = String::new();
    let on = style.add_modifier.difference(style.sub_modifier);
    for (weight, number) in WEIGHTS {
        if on.contains(weight) {
            // Writing to a string cannot fail.
            let _ = write!(numbers, ";{number}");
        }
    }
    if colours == Colours::On {
        colour(style.fg, 30, &mut numbers);
        colour(style.bg, 40, &mut numbers);
    }
    numbers
}

/// Writes a colour's numbers; `first` is the number of black.
fn colour(colour: Option<Color>, first: u8, output: &mut String) {
    let basic = |place: u8| if place < 8 { first + place } else { first + 52 + place };
    let number = match colour {
        None | Some(Color::Reset) => return,
        Some(Color::Black) => 0,
        Some(Color::Red) => 1,
        Some(Color::Green) => 2,
        Some(Color::Yellow) => 3,
        Some(Color::Blue) => 4,
        Some(Color::Magenta) => 5,
        Some(Color::Cyan) => 6,
        Some(Color::Gray) => 7,
        Some(Color::DarkGray) => 8,
        Some(Color::LightRed) => 9,
        Some(Color::LightGreen) => 10,
        Some(Color::LightYellow) => 11,
        Some(Color::LightBlue) => 12,
        Some(Color::LightMagenta) => 13,
        Some(Color::LightCyan) => 14,
        Some(Color::White) => 15,
        Some(Color::Indexed(place)) => {
            let _ = write!(output, ";{};5;{place}", first + 8);
            return;
        }
        Some(Color::Rgb(red, green, blue)) => {
            let _ = write!(output, ";{};2;{red};{green};{blue}", first + 8);
            return;
        }
    };
    let _ = write!(output, ";{}", basic(number));
}
