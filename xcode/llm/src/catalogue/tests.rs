//! The catalogue against the texts it was made from.

use super::{Catalogue, Limits, OutputLimit, Protocol};
use crate::event::Usage;
use crate::id::{ModelId, Provider};

fn id(text: &str) -> ModelId {
    text.parse().unwrap()
}

#[test]
fn each_of_the_nine_providers_has_its_entry_in_the_order_of_the_default() {
    let catalogue = Catalogue::built_in();
    let listed: Vec<Provider> = catalogue.providers().iter().map(|entry| entry.id).collect();
    assert_eq!(listed, Provider::ALL);
    for entry in catalogue.providers() {
        let own = entry.id == Provider::Custom;
        assert_eq!(entry.base_url.is_none(), own, "{}", entry.id);
        assert_eq!(entry.default_model.is_none(), own, "{}", entry.id);
        assert_eq!(entry.key_page.is_none(), own, "{}", entry.id);
        for url in [&entry.base_url, &entry.key_page].into_iter().flatten() {
            assert!(url.starts_with("https://"), "{url}");
        }
        if let Some(name) = &entry.default_model {
            assert!(!catalogue.limits(&ModelId::new(entry.id, name).unwrap()).is_assumed);
        }
    }
}

#[test]
fn each_alias_stands_for_a_known_model() {
    let aliases: Vec<(&str, String)> =
        Catalogue::built_in().aliases().map(|(alias, id)| (alias, id.to_string())).collect();
    assert_eq!(aliases.len(), 10);
    for (alias, model) in aliases {
        assert!(!Catalogue::built_in().limits(&id(&model)).is_assumed, "{alias}");
    }
}

/// docs/MODELS.md: the window of the default model of Alibaba is small.
#[test]
fn windows_and_prices_are_those_of_the_providers() {
    let catalogue = Catalogue::built_in();
    let limits = |window, output, images| Limits { window, output, images, is_assumed: false };
    assert_eq!(catalogue.limits(&id("alibaba:qwen-max")), limits(32_768, Some(8_192), false));
    assert_eq!(
        catalogue.limits(&id("google:gemini-2.5-pro")),
        limits(1_048_576, Some(65_536), true)
    );
    assert_eq!(catalogue.limits(&id("xai:grok-3")), limits(131_072, None, false));
    assert!(catalogue.price(&id("xai:grok-3")).is_none());
    let long = catalogue.price(&id("google:gemini-2.5-pro")).unwrap().long.unwrap();
    assert_eq!((long.above, long.input, long.output), (200_000, 2.5, 15.0));
}

#[test]
fn an_unknown_model_is_assumed_to_have_128000_tokens_and_no_price() {
    let catalogue = Catalogue::built_in();
    let unknown = id("custom:doubao-1.5-pro");
    let assumed = Limits { window: 128_000, output: None, images: false, is_assumed: true };
    assert_eq!(catalogue.limits(&unknown), assumed);
    assert!(catalogue.price(&unknown).is_none());
}

/// docs/MODELS.md, hazard 7.
#[test]
fn hazard_7_newer_models_of_openai_are_asked_by_responses() {
    let catalogue = Catalogue::built_in();
    assert_eq!(catalogue.protocol(&id("openai:gpt-5.1-codex")), Protocol::Responses);
    assert_eq!(catalogue.protocol(&id("openai:gpt-4.1")), Protocol::Chat);
    assert_eq!(catalogue.protocol(&id("openai:o3")), Protocol::Chat);
    assert_eq!(catalogue.protocol(&id("custom:gpt-5")), Protocol::Chat);
    let quirks = catalogue.quirks(&id("openai:o3"));
    assert_eq!(quirks.output_limit, OutputLimit::MaxCompletionTokens);
}

#[test]
fn an_unknown_name_is_told_its_neighbours() {
    let catalogue = Catalogue::built_in();
    assert_eq!(catalogue.nearest("sonet")[0], "sonnet");
    assert_eq!(catalogue.nearest("claude-sonnet-4.5")[0], "anthropic:claude-sonnet-4-5");
    assert_eq!(catalogue.nearest("openai:gpt4.1")[0], "openai:gpt-4.1");
    assert_eq!(catalogue.nearest("x").len(), 3);
}

/// docs/MODELS.md, Moonshot: thinking models want reasoning back.
#[test]
fn kimi_wants_reasoning_with_calls_and_moonshot_v1_does_not_think() {
    let quirks = |text| Catalogue::built_in().quirks(&id(text));
    assert!(quirks("moonshotai:kimi-k2.5").reasoning_stand_in);
    assert!(!quirks("moonshotai:moonshot-v1-128k").reasoning_stand_in);
    assert!(!quirks("deepseek:deepseek-chat").reasoning_stand_in);
}

#[test]
fn a_cost_counts_cached_and_long_requests_by_their_price() {
    let cost = |text, usage: Usage| {
        let price = Catalogue::built_in().price(&id(text)).unwrap();
        (price.cost(&usage) * 1e6).round()
    };
    let usage = Usage { input: 1_000, cached: 600, cache_written: 100, output: 200, reasoning: 50 };
    // 300 at 3, 600 at 0.3, 100 at 3.75, 200 at 15.
    assert_eq!(cost("anthropic:claude-sonnet-4-5", usage), 900.0 + 180.0 + 375.0 + 3_000.0);
    // No price of its own for what is cached.
    assert_eq!(cost("alibaba:qwen-plus", Usage { cache_written: 0, ..usage }), 400.0 + 240.0);
    let long = Usage { input: 200_001, cached: 0, cache_written: 0, output: 0, reasoning: 0 };
    assert_eq!(cost("google:gemini-2.5-pro", long), 500_003.0);
    let short = Usage { input: 200_000, ..long };
    assert_eq!(cost("google:gemini-2.5-pro", short), 250_000.0);
}
