//! The English words of the table, in their base form. A phrase is looked up as a whole; its words are
//! not looked up again. Words with an everyday meaning too are `Vague`, with a low weight.

use crate::lexicon::Sense;
use crate::question::Question;

pub(crate) const WORDS: &[(Sense, &str)] = &[
    (
        Sense::Software,
        "api; apis; endpoint; codebase; code base; source code; repo; regex; regexp;
         sql; sqlite; postgres; postgresql; mysql; mongodb; redis; kafka; rabbitmq; graphql; grpc; websocket;
         docker; dockerfile; docker-compose; kubernetes; k8s; helm chart; terraform; ansible; nginx; webpack; vite; babel;
         eslint; clippy; linter; lint; npm; yarn; pnpm; pip; cargo; maven; gradle; cmake; makefile; git; github actions; gitlab;
         javascript; typescript; golang; kotlin; php; html; css; scss; tailwind; jsx; tsx; nodejs; node.js; next.js; vue; angular;
         svelte; django; fastapi; rails; laravel; spring boot; pytest; jest; vitest; junit; mocha; playwright; selenium; c++; c#; f#; .net;
         compiler; compile; decompile; runtime error; compile error; type error; syntax error; segfault; segmentation fault;
         stack trace; stacktrace; traceback; backtrace; core dump; stack overflow; memory leak; buffer overflow; null pointer; race condition; deadlock;
         unit test; integration test; e2e test; end-to-end test; regression test; test suite; test coverage; code coverage; test case; flaky; failing test; tests fail;
         run the test; run test; run all test; fix the test; the tests; code review; review the code; review my code; this code; the code; my code; our code;
         pull request; merge conflict; merge request; git rebase; rebase; cherry-pick; submodule; changelog; last commit; latest commit; commit message;
         commit and push; commit this; commit these; push this; git history; feature branch; main branch; master branch; feature flag; stack frame;
         backend; back-end; frontend; front-end; middleware; microservice; monorepo; boilerplate; codegen; devops; ci pipeline; github; dockerize;
         async; asynchronous; asynchronously; await; mutex; semaphore; goroutine; coroutine; thread pool; event loop; callback; webhook; singleton; polymorphism; inheritance;
         json; yaml; toml; protobuf; openapi; swagger; ipv6; ipv4; http; https; tcp; udp; oauth; oauth2; jwt; saml; csrf; xss; cors; tls; ssl; ssh; sso;
         cli; sdk; orm; gui; dom; url parser; parser; tokenizer; lexer; serializer; deserialize; serialize; deserializer; stdin; stdout; stderr; env var; environment variable;
         database schema; schema migration; db migration; database migration; foreign key; primary key; sql injection; connection pool; prepared statement; query plan;
         typedef; struct; enum; namespace; boolean; constructor; destructor; iterator; hashmap; hash map; linked list; binary tree; data structure; lambda function; type annotation; type hint; docstring; type check; type checker;
         off-by-one; off by one; nullable; undefined behavior; undefined behaviour; pagination; paginate; rate limit; rate limiting; rate limiter; rate-limit; rate-limiting; hot reload; dark mode; load balancer; reverse proxy;
         request id; user id; status code; date picker; dropdown; navbar; tooltip; checkbox; stylesheet; responsive layout; command line; command-line; crontab; cron; cron job; dead code; tech debt; technical debt;
         dependency injection; design pattern; entry point; entrypoint; public api; background job; message queue; job queue; work queue; log level; allow list; allowlist; denylist; blocklist;
         panic; stacktraces; unwrap; borrow checker; lifetimes; generics; pytest fixture; mock; stub; fixture; ci; cicd; ci/cd; localhost; subprocess; syscall; daemon; filesystem; file descriptor; utf-8; utf8; base64; sha256; uuid; ascii; unicode",
    ),
    (Sense::Rework, "refactor; refactoring; rework the code; transpile; recompile"),
    (
        Sense::Term,
        "login; log in flow; logout; signup; sign-up; sign up form; auth; authentication; authorization; token; module; crate; package; library; dependency; dependencies; config; configuration; setting;
         database; db; query; index; server; client; service; response; log; logger; logging; csv; xml; queue; worker; component; plugin; extension; variable; parameter; argument; array; object; method;
         class; function; interface; trait; macro; pointer; bug; debugger; exception; script; app; application; website; webpage; ui; ux; button; modal; sidebar; router; route; controller; handler; hook; template; widget; toolbar;
         architecture; repository; project structure; module structure; release build; build; deploy; deployment; rollout; staging; production; image worker; docker image; container; cluster; pod; proxy; gateway; cache; caching; buffer; thread; process; socket; port; timeout; retry; retries; backoff;
         payload; header; cookie; session; schema; migration; table column; column; field; validation; validate; validator; upload; uploader; download; downloader; importer; exporter; scheduler; renderer; loader; builder; factory; adapter; wrapper; iterator; resolver; listener; dispatcher;
         python; java; rust; ruby; swift; scala; perl; haskell; elixir; erlang; clojure; bash; shell; powershell; react; node; express; flask; spring; unity; linux; macos; windows; android; ios;
         algorithm; recursion; loop; string; integer; float; null; undefined; nan; utc; timezone; timestamp; locale; i18n; encoding; decode; encode; encrypt; decrypt; hash; checksum; byte; bit;
         memory; cpu; gpu; latency; throughput; performance; benchmark; profiler; profile the; concurrency; concurrent; parallel; stack; heap; garbage collection; vulnerability; security hole; sandbox; permission check; access control;
         error; warning; crash; leak; flake; regression; stale; hang; freeze; freezes; infinite loop; freeze up; dump; trace; breakpoint; lag; 404; 500; 502; 503; 403; 401;
         file; folder; directory; diff; patch; version; commit; branch; upstream; fork; tag; release; ci job; job; task runner; runner; snapshot; fixture data; test; tests; testing; spec; assertion; assert;
         readme; documentation; docs; comment; docstrings; example code; snippet; notebook; dataframe; dataset; model class; tensor; pipeline; workflow file; emulator; simulator; driver; kernel; firmware; embedded; terminal; console; prompt template; editor; ide; vim; emacs; vscode;
         form; search; filter; sort order; sorting; scroll; viewport; layout; rendering; render; redraw; animation; theme; icon; font; page load; homepage; dashboard; admin panel; notification; email template; webhook url; invoice generator; checkout; cart; inventory; order; orders",
    ),
    (
        Sense::Vague,
        "key; map; set; list; item; value; type; name; state; event; message; user; users; account; page; view; table; row; data; event handler; input; output; return; import; export; request; call; store; storage; resource; id; link; image; screen; window; menu; tab; style; color; space; block; node tree; tree; graph; network; signal; channel; stream; flow; path; root; lock; pool; job; task; run; running; process; program; system; tool; feature; option; flag; mode; default; limit; size; speed; slow; faster; big; duplicate; unused; deprecated; legacy; hardcoded; hard-coded; empty; invalid; wrong; broken; missing; last; old; new; latest; format; parse; print; read; write; save; load; send; connect; connection; close; open; start; stop; restart; boot; update; sync; clean; tidy; structure; overview; diagram; draft; design; pattern; plan; step; number; count; total; date; time; month; mobile; desktop; browser; tablet; device; caller; helper; dist; target; tree view",
    ),
    (
        Sense::Modify,
        "add; implement; remove; delete; rename; replace; rewrite; modify; change; edit; update; extract; inline; split; merge into; move; migrate; upgrade; downgrade; bump; port; convert; translate to; introduce; create; build; make; generate; support; integrate; optimize; optimise; speed up; improve; simplify; clean up; cleanup; deduplicate; parametrize; parallelize; reorganize; restructure; shrink; reduce; extend; enable; disable; wire up; hook up; set up; expose; wrap; cache; batch; format; revert; undo; roll back; rollback; adapt; turn into; write; log; handle; reject; pin; vendor; drop; scaffold; finish; complete; document; annotate; normalize; sanitize; validate; refine; tweak; adjust; deploy; ship; publish; release; install; unify; decouple; make sure; ensure",
    ),
    (
        Sense::Debug,
        "fix; debug; diagnose; troubleshoot; resolve; solve; repair; mend; investigate; reproduce; bisect; broken; fail; failing; failed; failure; fails; crash; crashes; does not work; doesn't work; not working; stopped working; no longer works; wrong; incorrect; issue with; problem with; hang; hangs; stuck; leaks; throws; thrown; raise; raises; raised; blow up; breaks; break; never; twice; reject; rejects; unexpected; unexpectedly; times out; timed out; missing; overflows; corrupt; corrupted; regressed; find the bug; something wrong; what is wrong; what's wrong",
    ),
    (
        Sense::Ask,
        "where is; where are; where do we; where does; where do; explain; why does; why do; why is; why are; how does; how do we; how is; how are; what does; which files; which file; find; show me; walk me through; describe; review; check; look at; look into; understand; list all; compare; difference between; is there a; does the; should we; can we; defined; implemented; called; used; handled",
    ),
    (
        Sense::History,
        "history; history of; who changed; who wrote; who added; blame; git blame; when was; since yesterday; since last; previously; last week; recent changes; recently; regression; last release; used to work; before the upgrade; changed since; last change",
    ),
    (
        Sense::Explicit,
        "this repository; this repo; the repository; the repo; our repo; my repo; this project; the project; our project; in the codebase; this codebase; in this file; this file; this function; this method; this class; this module; this component; this crate; this package; this script; the handlers; search the code; use the code; ci_search; ci_graph_rag; ci_index_status; auto tools; this test; this query; this sql; this bug; this error; this crash; this exception; this branch; this commit; this pr; the pr; my pr; this endpoint; this service; this snippet; this program",
    ),
    (
        Sense::Deep(Question::CallChain),
        "call chain; call chains; call graph; call graphs; call path; call paths; call tree; call hierarchy; call stack of; callers of; caller of; callers; callees; who calls; what calls; calls into; trace the call; trace calls; ci_call_chain; where is it called from; called from where; entry points to",
    ),
    (
        Sense::Deep(Question::Impact),
        "impact; impact of; impact analysis; blast radius; ripple effect; ripple effects; what would break; what will break; what breaks if; what else breaks; would break; what depends on; depends on it; who depends on; dependents; dependents of; affected by; what is affected; which parts are affected; side effects of changing; safe to change; safe to delete; safe to remove; safe to rename; ci_impact; downstream effects; what else would change; what else is affected; used by whom; which modules use; which files would be affected; knock-on",
    ),
    (
        Sense::Deep(Question::BugLocate),
        "locate the bug; find the bug; where is the bug; bug location; pinpoint; root cause; root-cause; locate the fault; locate the cause; localise the bug; localize the bug; localize the fault; find the cause; find out why; track down; narrow down; ci_bug_locate; culprit; bisect; what causes; what is causing; what's causing",
    ),
    (
        Sense::Deep(Question::Complexity),
        "complexity; cyclomatic; cyclomatic complexity; cognitive complexity; most complex; too complex; most complicated; ci_complexity; complexity report; complex functions; longest functions; hardest to maintain",
    ),
    (
        Sense::Deep(Question::Hotspot),
        "hotspot; hotspots; hot spot; hot spots; churn; code churn; most often changed; most frequently changed; changes most often; change most often; changed most; change the most; changes the most; most changed; most edited; ci_hotspot; most commits; frequently modified; most modified; most active files",
    ),
    (
        Sense::Consent,
        "deep analysis; deep-analysis; deep dive; in-depth analysis; analyse deeply; analyze deeply; analyze in depth; analyse in depth; thorough analysis; full analysis; tier 2; tier-2; tier2; allow deep",
    ),
    (
        Sense::Everyday,
        "english; french; german; spanish; italian; portuguese; japanese; chinese; korean; russian; dutch; latin; recipe; cook; cooking; bake; baking; sourdough; bread; coffee; tea; wine; beer; dinner; lunch; breakfast; meal; pancake; egg; apple; soup; salad; cheese; kitchen; fridge; oven; garden; plant; flower; lawn; tap; sink; roof; sofa; couch;
         wedding; birthday; holiday; vacation; trip; travel; flight; hotel; airline; train station; museum; beach; movie; film; song; poem; novel; hamlet; story; joke; painting; guitar; piano; violin; quartet; concert; c major; chord; choir;
         doctor; nurse; arm; knee; kidney; kidneys; liver; headache; fever; sleep; tired; diet; calorie; calories; vitamin; gym; workout; exercise routine; marathon; km; running shoes; yoga; training plan; pregnant; allergy; dentist; medicine; pill; skin;
         mother; father; mom; mum; dad; wife; husband; girlfriend; boyfriend; daughter; son; grandma; grandmother; grandfather; baby; kid; kids; cat; dog; puppy; kitten; bird; horse; fish tank; friend; neighbour; neighbor; guest; guests; boss; colleague; manager at;
         bank account; bank; mortgage; rent; tax; insurance; salary; stock market; inflation; capital of; president; election; war; history of the; roman; empire; philosophy; weather; rain; autumn; winter; summer; sky; moon; planet; mountain; river; ocean;
         cover letter; resume; letter; essay; speech; toast; email to; an email to; complaint; thank-you note; homework; school; teacher; exam; course; lecture; career; interview; hobby; book about; poetry; haiku; limerick; lyrics; shire; kilometres; kilometers;
         sweater; shoe; shoes; shirt; dress; jacket; car; bike; bicycle; brake; tyre; tire; engine oil; bridge; traffic; parking; lanes; shop; supermarket; restaurant; cafe; bar; brew; football; soccer; tennis; chess; board game; christmas; easter; halloween; church; prayer; coin toss; hypothesis; kitchen table; furniture; wood; wooden; paint the; tailor; barber; haircut; phone screen; diary; emergencies; gadgets; feel; feeling; lonely; sad; happy; love; relationship; meditation",
    ),
    (
        Sense::Nothing,
        "history of art; main function tonight; return a; go to; at home; stay home; cover letter; map of the; function of the; method section; make a plan; training; commit to; cache money; bug bite; class starts; coin toss; null hypothesis; string quartet; branch manager; import tax; stack of; on my; look good; good morning; good night; thank you; thanks",
    ),
];
