; What is coloured in Kotlin: its grammar brings no query of its own.

(user_type (identifier) @type)
(class_declaration name: (identifier) @type)
(object_declaration name: (identifier) @type)
(function_declaration name: (identifier) @function)
(call_expression . (identifier) @function)
(call_expression . (navigation_expression (identifier) @function .))
(annotation) @attribute
[(number_literal) (float_literal)] @number
[(string_literal) (multiline_string_literal) (character_literal)] @string
(interpolation) @embedded
(escape_sequence) @escape
[(line_comment) (block_comment) (shebang)] @comment
[(this_expression) (super_expression)] @constant.builtin

[
  "abstract" "as" "as?" "by" "catch" "class" "companion" "const" "constructor" "crossinline" "data" "do" "else"
  "enum" "external" "final" "finally" "for" "fun" "get" "if" "import" "in" "!in" "infix" "init" "inline" "inner"
  "interface" "internal" "is" "!is" "lateinit" "noinline" "object" "open" "operator" "out" "override" "package"
  "private" "protected" "public" "return" "sealed" "set" "suspend" "tailrec" "throw" "try" "typealias" "val" "value"
  "var" "vararg" "when" "where" "while"
] @keyword
