/** Entry for authors of search backends. */
export { isObject, type Json, number, object, objects, text } from './canonical/json.ts'
export type { Credential } from './contract/credential.ts'
export { apiKey, baseUrl, endpoint, endpointEnv, required } from './contract/endpoint.ts'
export { type Exchange, type InProcess, isNext, type Next, next } from './contract/exchange.ts'
export type { HttpRequest, HttpResponse } from './contract/http.ts'
export {
  type Backend,
  type BackendAdapter,
  type BackendInstance,
  type BackendMeta,
  defineSearchBackend,
  type FoundImage,
  type IndexHost,
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
export { bearer } from './credentials/bearer.ts'
export { type ErrorKind, HeadgateError, type UpstreamError } from './errors.ts'
