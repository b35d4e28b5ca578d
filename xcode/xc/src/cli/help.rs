//! The part of `--help` after the options.

/// Examples, commands, variables and exit codes.
pub(super) const AFTER: &str = "\
Examples:
  xc                                            a conversation, in this folder
  xc 'make the tests pass'                      the same, beginning with that
  xc -p 'what does src/main.rs do?'             read and answer; nothing is changed
  xc -p -t 'make the tests pass'                changes run without a question
  cat error.log | xc -p 'what broke?'           standard input goes along as data
  xc -p --resume 'and now the other one'        go on with the last session here
  xc -p --output-format stream-json '...'       an event a line, for programs
  xc init                                       write down what the project's files say of it
  xc -p --plan 'add a cache'                    look, and answer with a plan; nothing is changed
  xc demo                                       see it work without an account
  xc -- config                                  a prompt that is also the name of a command

In a conversation: Enter sends, Esc interrupts, Ctrl+C twice leaves, /help lists commands and keys.
Where standard output is no terminal, xc runs as with -p.

Environment:
  ANTHROPIC_API_KEY, OPENAI_API_KEY, DEEPSEEK_API_KEY, ALIBABA_API_KEY,
  GOOGLE_GENERATIVE_AI_API_KEY, XAI_API_KEY, ZHIPU_API_KEY, MOONSHOT_API_KEY
                                keys of the providers; one is enough, the first one found decides
  OPENAI_COMPATIBLE_API_KEY, OPENAI_COMPATIBLE_BASE_URL, OPENAI_COMPATIBLE_MODEL
                                an endpoint of your own, asked as custom:MODEL
  X_CODE_MODEL                  the model, unless --model names one
  HTTPS_PROXY, NO_PROXY         the HTTP proxy to the providers; hosts that are reached without it

Files:
  ~/.xcode/config.json          your settings and keys (mode 600)
  .x-code/config.json           a project's; it can only make permissions stricter
  .x-code/knowledge.md, rules/, memory/
                                what is known of the project; ~/.xcode has yours
  .x-code/sessions/             what was said and done
  ~/.xcode/trust.json           folders whose content you agreed to

Exit codes: 0 answered, 1 internal error, 2 wrong command line, configuration or input,
3 no usable model or key, 4 the provider failed, 5 limit of turns or cost, 130 SIGINT, 143 SIGTERM";
