import { invalid } from '@headgate/core/errors'
import type { PathParameters } from './router.ts'

/**
 * Where models are in a path: those of the Gemini API, and those of Vertex AI, whose project, location and publisher do
 * not route. The official client writes the version that it was made for.
 */
const MODELS = '^/v1(?:beta1?)?/(?:projects/[^/]+/locations/[^/]+/)?(?:publishers/[^/]+/)?models'
/**
 * What is done with a model: the word after the last colon. To a GET it is the end of a model's id. A slash behind
 * either is not of it.
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

/** The verb at the end of a path such as `/v1beta/models/some-1:generateContent`, known or not. */
export function verbOf(path: string): string | undefined {
  return VERB.exec(path)?.[2]
}

/** The parameters of a path of models with that verb. @throws HeadgateError when its model can not be decoded. */
export function modelOf(path: string, verb: string): PathParameters | undefined {
  const [, model, found] = VERB.exec(path) ?? []
  return model !== undefined && found === verb ? { model: decode(model) } : undefined
}

/** Paths of a deployment at Azure, by what follows the deployment. */
const DEPLOYMENT = /^\/openai\/deployments\/([^/]+)(\/.+)$/

/**
 * The parameters of a path such as `/openai/deployments/{model}/chat/completions`; `rest` is what follows the
 * deployment.
 *
 * @see https://learn.microsoft.com/azure/foundry/openai/reference
 * @throws HeadgateError when the deployment cannot be decoded.
 */
export function deploymentOf(path: string, rest: string): PathParameters | undefined {
  const [, model, found] = DEPLOYMENT.exec(path) ?? []
  return model !== undefined && found === rest ? { model: decode(model) } : undefined
}

/** Whether a path lists models, or names one. */
export function isList(path: string): boolean {
  return LIST.test(path)
}

/** The parameters of a path that lists models, or names one. @throws HeadgateError when its id can not be decoded. */
export function listOf(path: string): PathParameters | undefined {
  const list = LIST.exec(path)
  return list ? { id: list[1] === undefined ? undefined : decode(list[1]) } : undefined
}
