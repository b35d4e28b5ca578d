//! Programs that fetch a package and execute it at once. A package that the project lists, or that most developers
//! know, is ordinary work; any other is foreign code. Not here: how each runner's options are read.

use super::acts::{Act, Also, Pick};
use super::entry::When::{Always, Test};
use super::entry::{Case, Command, Given, Said, lists};
use super::tables;
use super::words::words;
use crate::path::name;
use crate::rules::{execution, infrastructure as rules};
use crate::shell::Walker;

pub(super) const COMMANDS: &[Command] = &[
    // What comes out of the collection of packages is known.
    Command::said(
        words!("nix"),
        Said::cases(&[], &[&[Case(Test(foreign_flake), &rules::FOREIGN_PACKAGE)], OTHER]).also(&[
            Also(Always, Act::Shell(Pick::Values(&["--run", "--command"]))),
            Also(Always, Act::Command(Pick::Behind("-c"))),
            Also(Always, Act::Command(Pick::Behind("--command"))),
        ]),
        [
            &[],
            &["build", "run github:NixOS/nixpkgs#hello", "develop -c ls"],
            &["run github:someone/x", "develop -c rm -rf /srv/data"],
            &["shell --command 'rm -rf /'"],
        ],
    ),
    Command::said(
        words!("pkgx dnx tea tessl"),
        Said::cases(&[], &[OTHER]).also(&[Also(Always, Act::Fetches(Pick::Nth(0)))]),
        [&[], &["prettier"], &["evil-cli"], &[]],
    ),
];

const OTHER: &[Case] = &[Case(Always, &execution::COMMAND)];

/// A repository of somebody's own.
fn foreign_flake(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.words[1..].iter().any(|word| {
        lists("github:* gitlab:* sourcehut:* git+* http:* https:* tarball+*", &word.text)
            && !lists("github:NixOS/* github:nixos/*", &word.text)
    })
}

/// Names of packages and of the programs that they bring: of JavaScript, of Python, of Rust, Go, Ruby, .NET and the
/// rest.
const KNOWN: &[&str] = words!(
    "@angular @antfu @astrojs @aws-amplify @axe-core @babel @biomejs @capacitor @changesets \
     @cloudflare @commitlint @cyclonedx @electron @electron-forge @expo @formatjs \
     @graphql-codegen @ionic @lhci @lingui @marp-team @mermaid-js @microsoft \
     @modelcontextprotocol @nestjs @nrwl @nx @openapitools @playwright @prisma \
     @react-native-community @redocly @remix-run @rspack @sanity @sentry @shopify @stencil \
     @storybook @stoplight @supabase @svelte @sveltejs @swc @tailwindcss @tauri-apps @turbo \
     @typescript-eslint @unocss @vercel @vitejs @vscode @vue @web @yarnpkg ava c8 cdk \
     changeset commitizen commitlint concurrently conventional-changelog cspell cz degit \
     depcheck dotenv dotenv-cli drizzle-kit editorconfig-checker envinfo expo gatsby giget \
     gts gulp grunt hardhat html-validate http-server husky ignite json-server knip knex \
     lefthook lerna license-checker lighthouse lint-staged live-server localtunnel madge \
     markdownlint markdownlint-cli markdownlint-cli2 mjml msw ncc ncu netlify netlify-cli ng \
     nodemon npm-check npm-check-updates npm-run-all nx nyc openapi-typescript oxlint parcel \
     patch-package plop pm2 postcss prisma publint qunit react-native react-scripts \
     release-it remix rimraf sass semantic-release sequelize sequelize-cli serve serverless \
     shadcn shadcn-ui size-limit skott snyk sort-package-json source-map-explorer standard \
     storybook svelte-check svgo syncpack tailwindcss tap taze terser tiged ts-node ts-jest \
     tsc-watch tsd tsup tsx turbo typedoc typeorm typescript unbuild unimported vercel vsce \
     vue-tsc wait-on web-ext wrangler xo yo zx alembic ansible ansible-lint autoflake \
     autopep8 awscli bandit basedpyright build bump2version bumpversion check-jsonschema \
     checkov cibuildwheel codespell conan cookiecutter copier datasette django-admin djlint \
     docformatter fastapi flask glances gunicorn hatch httpie interrogate ipython jupyter \
     jupyterlab licensecheck maturin marimo memray mkdocs mypy nbstripout notebook nuitka \
     pdm pip-audit pip-tools pipdeptree pipenv platformio poetry pre-commit proselint py-spy \
     pydocstyle pyinstaller pylint pyproject-build pyright pytest pyupgrade radon reuse \
     safety scalene snakeviz sphinx sphinx-build sqlfluff streamlit towncrier twine ty \
     uvicorn virtualenv vulture yapf yamllint yt-dlp zizmor bacon bat bottom bundler \
     cargo-binstall cbindgen cocoapods cross diesel_cli dioxus-cli du-dust espup eza \
     fastlane fd-find flamegraph flip-link gitui git-cliff git-delta grcov hyperfine \
     insta-cmd jekyll just ldproxy leptosfmt loco mdbook nu probe-rs probe-rs-tools rails \
     rake ripgrep rubocop samply sccache sea-orm-cli sqlx-cli starship taplo-cli tauri-cli \
     tokei topgrade tree-sitter-cli trunk typos-cli wasm-bindgen-cli wasm-pack watchexec-cli \
     worker-build xsv zellij zola zoxide dotnet-ef dotnet-format csharpier dotnet-script \
     dotnet-outdated-tool nbgv"
);

/// More of them, of JavaScript: what people run by `npx`.
const COMMON: &[&str] = words!(
    "@anthropic-ai @eslint @google @openai @storyblok @tanstack @trpc @types @vue-cli @wordpress @mikro-orm @docusaurus \
     @hey-api @asyncapi @stryker-mutator @percy @size-limit @arethetypeswrong @parcel @ember @glimmer \
     @tailwindcss @tauri @wdio @sveltepress @react-email @payloadcms @directus @medusajs @contentful \
     all-contributors-cli api-extractor appium artillery auto-changelog autocannon autoprefixer aws-cdk axe babel \
     babel-node backstop basehub broken-link-checker browserslist browser-sync bumpp bundlesize cap cdktf \
     chokidar-cli chromatic clean-publish codecov copyfiles cordova cost-of-modules cpx cpy-cli craco cross-env \
     cucumber-js db-migrate depcruise dependency-cruiser detox devcert docsify docsify-cli doctoc documentation \
     dotenvx dtslint eas eas-cli electron electron-builder electron-forge electron-rebuild ember env-cmd \
     esbuild-visualizer esno expo-cli expo-doctor firebase firebase-tools flow flow-bin ganache gh-pages git-cz \
     gitmoji graphql-codegen graphql-inspector honkit i18next i18next-parser imagemin-cli ionic is-ci istanbul jasmine jest-cli \
     jetify jscpd jsdoc jshint json2ts kill-port kysely-ctl lage license-checker-rseidelsohn linkinator lit-localize \
     loadtest ls-engines manypkg markdown-link-check markdown-toc marp metro miniflare mmdc nativescript ncp \
     neutrino newman ngrx nightwatch node-gyp node-pg-migrate node-red nodemon-cli npkill np nps \
     npm-run-all2 npmlog nuxi obsidian-plugin onchange only-allow openapi openapi-generator-cli orval pa11y \
     pa11y-ci partykit payload pkg pkg-pr-new pm2-runtime pnpm pod-install pod-install-cli postcss-cli prebuild prettier-package-json \
     pretty-quick puppeteer purgecss quasar quicktype react-app-rewired react-docgen react-email react-router \
     redoc-cli redocly relay-compiler release-please remark remark-cli remotion reveal-md rsbuild rspack run-p run-s \
     rush sapper secretlint semver serverless-offline shopify shx simple-git-hooks sirv sirv-cli slidev snowpack solhint \
     spectral ssl-cert standard-version start-server-and-test stencil storybook-cli strapi surge sv svg-sprite \
     swagger-cli swagger-typescript-api swc tauri testcafe textlint tldraw ts-json-schema-generator ts-node-dev ts-prune \
     ts-to-zod tsc-alias tslint tsnd tsup-node typechain ultra-runner updates uri-scheme vercel-build vite-bundle-visualizer \
     vite-node vitepress vue vue-cli-service vuepress wdio web-push webpack-bundle-analyzer webpack-cli webpack-dev-server \
     webpack-merge wireit write-good wxt yalc yarn yarn-deduplicate zenstack"
);

/// What `create-x` packages that most developers know are named for.
const CREATORS: &[&str] = words!(
    "app astro cloudflare discord-bot docusaurus electron-app electron-vite elysia eslint-config expo expo-app expo-module \
     farm figma-plugin fumadocs-app gatsby hono hydrogen ice ink-app jsr lit llama medusa-app mastra mcp-server \
     nest-app next next-app nuxt nuxt-app nx-workspace nx-plugin obsidian-plugin payload-app plasmo playwright \
     preact probot-app qwik quasar react react-app react-library react-native-app react-native-library react-router \
     redwood-app refine-app remix rsbuild rspack sanity shopify-app slidev snowpack-app solid start strapi strapi-app \
     svelte t3-app t3-turbo tauri-app turbo typescript-app umi video vite vite-extra vitepress vue vuepress wdio wxt \
     xo"
);

/// Modules of Go whose programs most developers know.
const MODULES: &[&str] = words!(
    "golang.org/ google.golang.org/ mvdan.cc/ honnef.co/ gotest.tools/ k8s.io/ sigs.k8s.io/ \
     entgo.io/ github.com/golang/ github.com/golangci/ github.com/google/ \
     github.com/sqlc-dev/ github.com/swaggo/ github.com/air-verse/ github.com/cosmtrek/air \
     github.com/a-h/templ github.com/vektra/mockery github.com/onsi/ginkgo \
     github.com/goreleaser/ github.com/bufbuild/ github.com/oapi-codegen/ \
     github.com/deepmap/oapi-codegen github.com/pressly/goose github.com/golang-migrate/ \
     github.com/go-delve/ github.com/securego/gosec github.com/99designs/gqlgen \
     github.com/magefile/mage github.com/go-task/task github.com/maxbrunsfeld/counterfeiter \
     go.uber.org/ github.com/rakyll/ github.com/fullstorydev/grpcurl \
     github.com/cweill/gotests github.com/mgechev/revive"
);

/// A package's name without its version and extras.
fn plain(package: &str) -> &str {
    let package = package.trim_start_matches("npm:").trim_start_matches("jsr:");
    let end = package
        .char_indices()
        .skip(1)
        .find(|(_, each)| matches!(each, '@' | '=' | '[' | '<' | '>' | '~' | '!'))
        .map_or(package.len(), |(at, _)| at);
    &package[..end]
}

impl Walker<'_> {
    /// Whether a package is listed by the project, or one that most developers know.
    pub(super) fn knows_package(&self, package: &str) -> bool {
        let package = plain(package);
        let scope = package.split_once('/').map_or("", |(scope, _)| scope);
        let listed = self.context.disk.lists(self.context.project, package);
        let path = package.starts_with(['.', '/']);
        let known = |name: &str| {
            KNOWN.contains(&name)
                || COMMON.contains(&name)
                || tables::ORDINARY.contains(&name)
                || ["cargo-", "eslint-", "pytest-", "mcp-server-"]
                    .iter()
                    .any(|head| name.starts_with(head))
                || name.strip_prefix("create-").is_some_and(|made| CREATORS.contains(&made))
        };
        listed
            || path
            || MODULES.iter().any(|module| package.starts_with(module))
            || if scope.starts_with('@') {
                KNOWN.contains(&scope) || COMMON.contains(&scope)
            } else {
                known(package) || (self.knows)(package)
            }
    }

    /// A package is fetched and executed.
    pub(super) fn fetches_package(&mut self, package: &str, runner: &str) {
        if !package.is_empty() && !self.knows_package(package) {
            self.found(&rules::FOREIGN_PACKAGE, &format!("{runner} {package}"));
        }
    }

    /// A package is installed: its program counts as foreign where the same command runs it.
    pub(super) fn installs_package(&mut self, package: &str) {
        if !self.knows_package(package) && self.state.installed.len() < 64 {
            let module = plain(package).trim_end_matches('/');
            self.state.installed.push(name(module).to_owned());
        }
    }
    /// Whether a program is one that a package brought which this command has installed: by its name, or by a part of it.
    pub(super) fn is_installed(&self, name: &str) -> bool {
        if self.state.installed.is_empty() {
            return false;
        }
        let part = |installed: &String| {
            let longer = |one: &str, other: &str| {
                one.strip_prefix(other).is_some_and(|rest| rest.starts_with(['-', '_']))
            };
            name.len() > 2 && (longer(installed, name) || longer(name, installed))
        };
        self.state.installed.iter().any(|installed| installed == name)
            || !(self.knows)(name) && self.state.installed.iter().any(part)
    }
}
