export { CALLER_KEY } from './caller.ts'
export { answerDifferences, requestDifferences } from './compare.ts'
export { examine, type Finding } from './examine.ts'
export type { Adapter, CredentialFacts, ProviderFacts, UpstreamFacts } from './facts.ts'
export { failures, type VendorFailures } from './failures/index.ts'
export {
  type AnswerMeaning,
  type Call,
  FORMATS,
  type FormatId,
  type ReadAnswer,
  type RequestMeaning,
  type Said,
  type Tokens,
} from './meaning.ts'
export { CUTS, type Cut, framesOf } from './pieces.ts'
export { scenarios } from './scenarios/index.ts'
export type { Scenario, VendorAnswer } from './scenarios/scenario.ts'
export { type Script, scripted, type Thought, type Turn, turnOf } from './script.ts'
export { examineSearchBackend } from './search/examine.ts'
export { type AskedRequest, type SearchExchange, searchExchange } from './search/exchange.ts'
export type {
  Circumstances,
  Result,
  SearchAdapter,
  SearchFacts,
  SearchUpstreamFacts,
  Shown,
  Understood,
  VendorRequest,
} from './search/facts.ts'
export { testSearchBackend } from './search/test-search-backend.ts'
export { type TestCall, testCall } from './test-call.ts'
export { testProvider } from './test-provider.ts'
export { type Received, type Reply, startUpstream, type Upstream } from './upstream.ts'
export { vendorOf } from './vendor.ts'
export { type Wire, wires } from './wire/index.ts'
