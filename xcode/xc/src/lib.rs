//! `xc`, the program: command line, configuration, print mode. What the agent does is in `agent`.
