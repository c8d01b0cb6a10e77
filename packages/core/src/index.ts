export type { Block, Citation, MediaBlock, Signature, TextBlock, ToolCallBlock, ToolResultBlock } from './chat/block.ts'
export type { Format, Frame } from './chat/format.ts'
export { type Json, number, object, objects, text } from './chat/json.ts'
export type { Loss } from './chat/loss.ts'
export type { Delta, Part } from './chat/part.ts'
export type { ChatRequest, CustomTool, FunctionTool, Message, Tool } from './chat/request.ts'
export type { ChatResponse, Choice, Finish, FinishReason } from './chat/response.ts'
export type { ChatFacts, ModelFacts, Price } from './chat/target.ts'
export type { Usage } from './chat/usage.ts'
export { apiKey, baseUrl, endpoint, endpointEnv } from './endpoint.ts'
export { type ErrorKind, FAILURES, HeadgateError, type UpstreamError } from './errors.ts'
export { type Checkup, checkProvider } from './families/checkup.ts'
export { ROUTING_FIELDS } from './families/routing-fields.ts'
export { createGateway, type Gateway } from './gateway.ts'
export { type AttemptRow, type Ledger, type Principal, recordable, type UsageRow } from './ledger.ts'
export type {
  AccessRecord,
  Authenticate,
  BackendEntry,
  Engine,
  GatewayOptions,
  Limits,
  ProviderEntry,
  SearchOptions,
  Times,
} from './options.ts'
export {
  type Call,
  type ChatCall,
  type ChatInProcess,
  type ChatSupport,
  CONTRACT,
  type Credential,
  defineProvider,
  type EmbeddingsRequest,
  type EmbeddingsResponse,
  type Exchange,
  type HttpRequest,
  type HttpResponse,
  type InProcess,
  type Provider,
  type ProviderAdapter,
  type ProviderInstance,
  type ProviderMeta,
  type VideoRef,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from './provider.ts'
export type { ListStore } from './routing/list-store.ts'
export {
  type Backend,
  type BackendAdapter,
  type BackendInstance,
  type BackendMeta,
  defineSearchBackend,
  type FoundImage,
  type Home,
  type IndexProgress,
  type IndexReport,
  type Operator,
  type Paging,
  type Parameter,
  type SearchItem,
  type SearchPage,
  type SearchQuery,
  type Site,
} from './search.ts'
export {
  domains,
  excerpt,
  field,
  getQuery,
  inexact,
  monthFirst,
  postJson,
  type RawItem,
  readItems,
  today,
  type VendorValue,
  valueIn,
} from './search-values.ts'
