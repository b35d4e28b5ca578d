//! Brand names and given names that are written like symbols.

/// Lower case, separated by spaces.
const BRANDS: &str = " iphone ipad ipod imac icloud itunes ebay macos ios ipados watchos tvos youtube facebook linkedin whatsapp wechat paypal openai chatgpt claude deepseek macbook airpods powerpoint onedrive onenote playstation xbox mastercard fedex doordash airbnb tiktok instagram snapchat mcdonald mcdonalds mcdonald's macdonald macarthur deloitte bytedance bilibili linkedln starcraft pokemon hellofresh easyjet ryanair iot wifi phd youtuber vlog esim hiv covid-19 pdf ok dj ";

/// Whether a word is such a name.
pub(super) fn is_brand(word: &str) -> bool {
    BRANDS.contains(&format!(" {} ", word.to_lowercase()))
}
