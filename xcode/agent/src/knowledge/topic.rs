//! The topics of a scan, each with its name in both languages and its category. By this table, a repeated finding is the
//! same fact, in whichever language its key was written (D-8).

use super::fact::Category;
use super::language::{Both, Language};

/// A topic of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topic {
    PackageManager,
    Language,
    Runtime,
    UiFramework,
    WebFramework,
    TestFramework,
    BuildTool,
    CodeStyle,
    Workspace,
    InstallCommand,
    BuildCommand,
    TestCommand,
    LintCommand,
    TypeCheckCommand,
}

impl Topic {
    /// The keys of its fact, in both languages.
    pub(crate) fn keys(self) -> Both {
        let (zh, en) = match self {
            Self::PackageManager => ("包管理器", "Package manager"),
            Self::Language => ("语言", "Language"),
            Self::Runtime => ("运行时", "Runtime"),
            Self::UiFramework => ("UI 框架", "UI framework"),
            Self::WebFramework => ("Web 框架", "Web framework"),
            Self::TestFramework => ("测试框架", "Test framework"),
            Self::BuildTool => ("构建工具", "Build tool"),
            Self::CodeStyle => ("代码风格工具", "Style tools"),
            Self::Workspace => ("工作区", "Workspace"),
            Self::InstallCommand => ("安装命令", "Install command"),
            Self::BuildCommand => ("构建命令", "Build command"),
            Self::TestCommand => ("测试命令", "Test command"),
            Self::LintCommand => ("Lint 命令", "Lint command"),
            Self::TypeCheckCommand => ("类型检查命令", "Type check command"),
        };
        Both { zh, en }
    }

    /// Its key in a language.
    pub(crate) fn key(self, language: Language) -> &'static str {
        language.of(self.keys())
    }

    pub(crate) fn category(self) -> Category {
        match self {
            Self::InstallCommand
            | Self::BuildCommand
            | Self::TestCommand
            | Self::LintCommand
            | Self::TypeCheckCommand => Category::Commands,
            _ => Category::TechStack,
        }
    }
}
