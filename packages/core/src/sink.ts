/** Entry for authors of sinks. */
export { isObject, type Json, number, object, objects, text } from './canonical/json.ts'
export { type Credential, type FinalRequest, signed } from './contract/credential.ts'
export { apiKey, baseUrl, endpoint, endpointEnv, required } from './contract/endpoint.ts'
export { type Exchange, type InProcess, isNext, type Next, next } from './contract/exchange.ts'
export type { HttpRequest, HttpResponse } from './contract/http.ts'
export {
  defineSink,
  type SinkAdapter,
  type SinkBatch,
  type SinkInstance,
  type SinkLimits,
  type SinkMeta,
  type UsageSink,
} from './contract/sink.ts'
export { bearer } from './credentials/bearer.ts'
export { type ErrorKind, HeadgateError, type UpstreamError } from './errors.ts'
