import { invalid } from '@headgate/core/errors'
import type { PathParameters } from './router.ts'

/**
 * Prefix of model paths of the Gemini API, and of Vertex AI, whose project, location and publisher do not affect
 * routing. The version depends on the client.
 */
const MODELS = '^/v1(?:beta1?)?/(?:projects/[^/]+/locations/[^/]+/)?(?:publishers/[^/]+/)?models'
/**
 * Path of an operation on a model; the operation follows the last colon. In a GET, the colon is part of the model's id.
 * A trailing slash is ignored.
 */
const VERB = new RegExp(`${MODELS}/(.+):([A-Za-z]+)/?$`)
const LIST = new RegExp(`${MODELS}(?:/(.*[^/]))?/?$`)

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid('model', 'The model in the path is not valid percent-encoding.')
  }
}

/** Operation at the end of a path such as `/v1beta/models/some-1:generateContent`, even if it is unknown. */
export function verbOf(path: string): string | undefined {
  return VERB.exec(path)?.[2]
}

/**
 * Parameters of a model path with that operation.
 * @throws HeadgateError if the model is not valid percent-encoding
 */
export function modelOf(path: string, verb: string): PathParameters | undefined {
  const [, model, found] = VERB.exec(path) ?? []
  return model !== undefined && found === verb ? { model: decode(model) } : undefined
}

/** Azure's deployment paths, with the rest of the path. */
const DEPLOYMENT = /^\/openai\/deployments\/([^/]+)(\/.+)$/

/**
 * Parameters of a path such as `/openai/deployments/{model}/chat/completions`; `rest` is the part after the deployment.
 * @see https://learn.microsoft.com/azure/foundry/openai/reference
 * @throws HeadgateError if the deployment is not valid percent-encoding
 */
export function deploymentOf(path: string, rest: string): PathParameters | undefined {
  const [, model, found] = DEPLOYMENT.exec(path) ?? []
  return model !== undefined && found === rest ? { model: decode(model) } : undefined
}

/** True if a path lists models or names one. */
export function isList(path: string): boolean {
  return LIST.test(path)
}

/**
 * Parameters of a path that lists models or names one.
 * @throws HeadgateError if the id is not valid percent-encoding
 */
export function listOf(path: string): PathParameters | undefined {
  const list = LIST.exec(path)
  return list ? { id: list[1] === undefined ? undefined : decode(list[1]) } : undefined
}
