//! The MCP protocol: server information, and dispatch of calls.

use client::Client;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::call::Call;
use super::progress::Progress;
use super::tools;

/// The server of one session.
#[derive(Debug, Clone)]
pub(super) struct Server {
    client: Client,
    /// Every call in flight, so that the session's end can wait for them.
    calls: TaskTracker,
    /// Cancelled at the end of the session.
    stop: CancellationToken,
}

impl Server {
    pub(super) fn new(client: Client, calls: TaskTracker, stop: CancellationToken) -> Self {
        Self { client, calls, stop }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let name = Implementation::new("codex-bridge", release::VERSION);
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(name.with_title("Codex advisor"))
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    /// Each call runs as its own task: the library may drop this future, but the run must still be
    /// cancelled.
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = Call {
            client: self.client.clone(),
            progress: Progress::new(&context),
            cancelled: context.ct.clone(),
            stop: self.stop.clone(),
        };
        let arguments = request.arguments.unwrap_or_default();
        let task = match request.name.as_ref() {
            tools::CONSULT_ADVISOR => self.calls.spawn(call.consult(arguments)),
            tools::GET_RUN => self.calls.spawn(call.look(arguments)),
            unknown => {
                let (consult, look) = (tools::CONSULT_ADVISOR, tools::GET_RUN);
                let message = format!("there is no tool {unknown:?}; there are {consult}, {look}");
                return Err(ErrorData::invalid_params(
                    redact::visible(&message).into_owned(),
                    None,
                ));
            }
        };
        let result: Result<CallToolResult, _> = task.await;
        result.map(Into::into).map_err(|error| {
            ErrorData::internal_error(format!("the call broke off: {error}"), None)
        })
    }
}
