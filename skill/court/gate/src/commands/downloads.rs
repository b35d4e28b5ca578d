//! Programs that fetch files by a name of their own, and where what they fetch lands: it counts as foreign where it is
//! then executed. Not here: addresses that `curl` and its kin are told (see `network`), and clones (see `git`).

use super::entry::Given;
use super::entry::When::{self, Always, Verbs};
use super::files::is_remote;
use super::options::values;
use super::words::words;
use crate::judgement::{Extent, Source};
use crate::path::{absolute, name, within};
use crate::shell::{Field, Flow, Walker};

/// Where what is fetched lands.
#[derive(Clone, Copy)]
enum Lands {
    /// At the last operand, where one before it is not of this machine.
    Copied,
    /// In the folder that the last of two operands names, or that has the name of the address.
    Cloned,
    /// In the folder, and with the names, that these options are told, or these operands.
    Told { folder: &'static [&'static str], names: &'static [&'static str], from: usize },
}

/// Programs, when they fetch, where it lands, and an example that fetches `x`.
type Download = (&'static [&'static str], When, Lands, &'static str);

static DOWNLOADS: &[Download] = &[
    (
        words!("gh glab"),
        Verbs("release|run download"),
        Lands::Told {
            folder: words!("-D --dir"),
            names: words!("-p --pattern -O --output --asset-name"),
            from: 99,
        },
        "gh release download -R a/b -p x",
    ),
    (
        words!("gsutil s3cmd s5cmd mc azcopy"),
        Verbs("cp|mv|get|sync|mirror|rsync|copy"),
        Lands::Copied,
        "gsutil cp gs://b/x .",
    ),
    (words!("aws"), Verbs("s3 cp|mv|sync"), Lands::Copied, "aws s3 cp s3://b/x x"),
    (
        words!("gcloud"),
        Verbs("storage cp|mv|rsync, compute scp"),
        Lands::Copied,
        "gcloud storage cp gs://b/x .",
    ),
    (
        words!("az"),
        Verbs("storage blob|file|fs download*"),
        Lands::Told { folder: &[], names: words!("-f --file --path -d --destination"), from: 99 },
        "az storage blob download -n x -f x",
    ),
    (
        words!("rclone"),
        Verbs("copy|copyto|move|moveto|sync"),
        Lands::Copied,
        "rclone copyto r:x ./x",
    ),
    (words!("scp rcp rsync"), Always, Lands::Copied, "scp host:x ."),
    (words!("svn"), Verbs("export|checkout|co"), Lands::Cloned, "svn export https://a.example/x"),
    (words!("hg bzr"), Verbs("clone|branch"), Lands::Cloned, "hg clone https://a.example/x"),
    (words!("degit tiged"), Always, Lands::Cloned, "degit a/x"),
    (
        words!("hf huggingface-cli"),
        Verbs("download"),
        Lands::Told { folder: words!("--local-dir"), names: &[], from: 2 },
        "hf download a/b x --local-dir .",
    ),
];

/// Options of those that take the next word.
const VALUED: &[&str] = words!(
    "-R --repo -D --dir -p --pattern -O --output -n --name -P -i -o -e --rsh --exclude --include -F -J \
     --profile --region --endpoint-url --local-dir --revision -r -f --file -d --destination --path \
     -c --container-name --account-name --port"
);

impl Walker<'_> {
    /// Notes where a program puts what it fetches.
    pub(super) fn downloads(&mut self, program: &str, words: &[Field]) {
        let rows = DOWNLOADS.iter().filter(|(programs, ..)| programs.contains(&program));
        for (_, when, lands, _) in rows {
            let input = Flow::default();
            // `-r` of a copy takes nothing.
            let copies = matches!(lands, Lands::Copied);
            let valued: Vec<&str> =
                VALUED.iter().filter(|option| !copies || **option != "-r").copied().collect();
            let given = Given::new(words, &valued, &input);
            if when.holds(self, &given) {
                let verbs = given.operands.iter().take_while(|word| is_verb(when, word)).count();
                self.lands(&given, verbs, *lands);
            }
        }
    }

    fn lands(&mut self, given: &Given<'_>, verbs: usize, lands: Lands) {
        let told = &given.operands[verbs..];
        match lands {
            Lands::Copied => {
                let Some((target, sources)) = told.split_last() else { return };
                if is_remote(&target.text) {
                    return;
                }
                for source in sources.iter().filter(|source| is_remote(&source.text)) {
                    let named = name(source.text.trim_end_matches('/'));
                    let named = named.rsplit(':').next().unwrap_or_default();
                    self.brought(&target.text, Extent::Tree);
                    self.brought(&format!("{}/{named}", target.text), Extent::File);
                }
            }
            Lands::Cloned => {
                let Some(address) = told.first() else { return };
                let named = name(address.text.trim_end_matches(['/']));
                let folder = told.get(1).map_or(named, |folder| &folder.text);
                self.brought(folder, Extent::Tree);
            }
            Lands::Told { folder, names, from } => {
                let folder = values(given.words, folder).next();
                if let Some(folder) = folder {
                    self.brought(folder, Extent::Tree);
                }
                let folder = folder.unwrap_or(".");
                let named = values(given.words, names).next().is_some();
                if !named && given.operands.len() <= from && folder == "." {
                    // What is not there yet may be what is fetched.
                    self.state.unpacked.push(self.state.cwd.clone());
                }
                let operands = given.operands.iter().skip(from).map(|word| word.text.as_str());
                for file in values(given.words, names).chain(operands) {
                    self.brought(&format!("{folder}/{file}"), Extent::File);
                }
            }
        }
    }

    /// Something lies there that came from a network: a pattern, or a folder that holds the work, is nothing for certain.
    pub(super) fn brought(&mut self, place: &str, extent: Extent) {
        let path = absolute(place, &self.state.cwd);
        let work = [self.state.cwd.as_str(), self.context.project, self.context.home];
        if place.contains(['*', '?', crate::shell::UNKNOWN])
            || work.iter().any(|folder| within(folder, &path))
        {
            return;
        }
        self.target(&path, extent, Source::Network);
        self.state.fetched.push(path);
    }
}

/// Whether a word is one of the verbs that a row asks for.
fn is_verb(when: &When, word: &Field) -> bool {
    let Verbs(forms) = when else { return false };
    forms.split([' ', ',', '|']).any(|verb| super::entry::lists(verb, &word.text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::DOWNLOADS;
    use crate::context::tests::CONTEXT;
    use crate::{Policy, ToolCall};

    #[test]
    fn what_each_row_fetches_is_foreign_where_it_is_executed() {
        for (.., example) in DOWNLOADS {
            for (run, foreign) in [("sh x", true), ("./x", true), ("sh y", false)] {
                let input = json!({ "command": format!("{example} && {run}") });
                let call = ToolCall { name: "Bash", input: &input };
                let judgement = crate::judge(&call, &CONTEXT, Policy::Graded);
                let found = judgement.findings.iter().any(|each| each.rule.id == "script.fetched");
                assert_eq!(found, foreign, "{example} && {run}");
            }
        }
    }
}
