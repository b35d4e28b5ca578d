//! Every page, with harmless and with hostile texts in every place where a text of others stands.

mod corpus;
mod sample;

mod budget;
mod hostile;
mod shape;
