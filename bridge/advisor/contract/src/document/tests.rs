//! The reader against `serde_json`, and what it adds.

use super::*;

#[test]
fn a_value_is_read_as_serde_json_reads_it() {
    for text in [
        "null",
        "[true, false, 0, -1, 18446744073709551615, -9223372036854775808, 1.5, 1e3]",
        r#"{"a": {"b": [{}, []]}, "": "\u0000\ud83e\udd14", "a/b~c": "\\\""}"#,
        "\u{feff} {\"a\": 1}\n",
    ] {
        let document = read(text.as_bytes()).unwrap();
        let expected: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
        assert_eq!(document, Document { value: expected, repeated: Vec::new() });
    }
}

#[test]
fn repeated_keys_are_named_once_each() {
    let text =
        r#"{"a": 1, "b": [{"c/d": 1, "c/d": 2, "c/d": 3}, {"c": 1}], "a": {"x": 1, "x": 2}}"#;
    assert_eq!(read_text(text).unwrap().repeated, ["/b/0/c~1d", "/a/x", "/a"]);
}

#[test]
fn depth_and_number_of_values_are_bounded() {
    let nested = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(read_text(&nested(127)).is_ok());
    assert!(matches!(read_text(&nested(200_000)), Err(Unreadable::Syntax { .. })));
    let wide = |values| format!("[{}0]", "0,".repeat(values - 2));
    assert!(read_text(&wide(VALUES_MAX)).is_ok());
    assert_eq!(read_text(&wide(VALUES_MAX + 1)), Err(Unreadable::TooManyValues));
}
