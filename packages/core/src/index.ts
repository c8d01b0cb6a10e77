export type { Block, Citation, MediaBlock, Signature, TextBlock, ToolCallBlock, ToolResultBlock } from './canonical/block.ts'
export type { Format, Frame } from './canonical/format.ts'
export { type Json, number, object, objects, text } from './canonical/json.ts'
export type { Loss } from './canonical/loss.ts'
export type { Delta, Part } from './canonical/part.ts'
export type { ChatRequest, CustomTool, FunctionTool, Message, Tool } from './canonical/request.ts'
export type { ChatResponse, Choice, Finish, FinishReason } from './canonical/response.ts'
export type { ChatFacts, ModelFacts, Price } from './canonical/target.ts'
export type { Usage } from './canonical/usage.ts'
export { apiKey, baseUrl, endpoint, endpointEnv } from './contract/endpoint.ts'
export { type ErrorKind, FAILURES, HeadgateError, type UpstreamError } from './errors.ts'
export { type Checkup, checkProvider } from './families/models/checkup.ts'
export { ROUTING_FIELDS } from './families/chat/routing-fields.ts'
export { createGateway, type Gateway } from './gateway.ts'
export { type AttemptRow, type Ledger, type Principal, recordable, type UsageRow } from './contract/ledger.ts'
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
} from './contract/ports.ts'
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
} from './contract/provider.ts'
export type { ListStore } from './contract/list-store.ts'
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
} from './contract/search.ts'
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
} from './contract/values.ts'
