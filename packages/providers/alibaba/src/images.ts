import {
  HeadgateError,
  type HttpRequest,
  type HttpResponse,
  type ImagesAbilities,
  type ImagesRequest,
  type ImagesResponse,
  type ImagesSupport,
  imageUrl,
  type Json,
  type ModelFacts,
  type Next,
  next,
  number,
  object,
  objects,
  pollDelayMs,
  sizeText,
  text,
  unitUsage,
} from '@headgate/core/provider'

const area = (least: number, most: number) => ({ multiple: 1, pixels: [least, most] as const, ratio: 8 })
const any: ImagesAbilities = {
  seed: true,
  negative: true,
  takes: 'urls',
  more: ['watermark', 'prompt_extend'],
}

/** Abilities by the beginning of the name; the first that matches applies. */
const ABILITIES: readonly (readonly [string, ImagesAbilities])[] = [
  ['qwen-image-edit-', { ...any, n: 6, images: 3, sizes: area(262_144, 4_194_304) }],
  ['qwen-image-edit', { ...any, images: 3 }],
  ['qwen-image-2', { ...any, n: 6, images: 3, sizes: area(262_144, 4_194_304) }],
  ['qwen-image-3', { ...any, n: 6, images: 3, sizes: area(262_144, 4_194_304) }],
  ['qwen-image', { ...any, sizes: ['1664x928', '1472x1104', '1328x1328', '1104x1472', '928x1664'] }],
  ['z-image', { ...any, negative: false, sizes: area(262_144, 4_194_304) }],
]
/** Older models: tasks with a prompt instead of messages. */
const OLDER: ImagesAbilities = { ...any, n: 4, sizes: { ...area(262_144, 2_073_600), side: 1_440 } }
/** Newer models of Wan: messages, as for Qwen. */
const WAN: ImagesAbilities = { ...any, n: 4, images: 4, sizes: area(589_824, 4_194_304) }

function isTask(model: string): boolean {
  return /^wanx?2\.[0-5]-t2i|^wanx-v1|^flux-|^stable-diffusion/.test(model)
}

function abilitiesOf(model: string): ImagesAbilities {
  if (isTask(model)) return OLDER
  return ABILITIES.find(([start]) => model.startsWith(start))?.[1] ?? WAN
}

/**
 * Images of Qwen and Wan. Older models of Wan make them as tasks.
 * @see https://www.alibabacloud.com/help/en/model-studio/qwen-image-api
 * @see https://www.alibabacloud.com/help/en/model-studio/text-to-image-v2-api-reference
 */
export const images: ImagesSupport = {
  can: abilitiesOf,
  request(input) {
    const { model, prompt, n, size, seed, negative, images: given, more } = input
    const isOld = isTask(model)
    const content = [...given.map((image) => ({ image: imageUrl(image) })), { text: prompt }]
    const parameters = { ...more, n, size: sizeText(size, '*'), seed }
    const json = isOld
      ? { model, input: { prompt, negative_prompt: negative }, parameters }
      : {
          model,
          input: { messages: [{ role: 'user', content }] },
          parameters: { ...parameters, negative_prompt: negative },
        }
    return {
      method: 'POST',
      url: `/api/v1/services/aigc/${isOld ? 'text2image/image-synthesis' : 'multimodal-generation/generation'}`,
      ...(isOld && { headers: { 'x-dashscope-async': 'enable' } }),
      body: { json },
    }
  },
  response: (answer, input, earlier) => (isTask(input.model) ? readTask(answer, input, earlier) : readMessage(answer)),
  cancel([first]) {
    const { output } = object(first?.body) ?? {}
    return taskRequest('POST', output, '/cancel')
  },
}

function taskRequest(method: 'GET' | 'POST', output: unknown, end = ''): HttpRequest | undefined {
  const id = text(object(output)?.['task_id'])
  return id ? { method, url: `/api/v1/tasks/${encodeURIComponent(id)}${end}` } : undefined
}

function readTask(answer: HttpResponse, input: ImagesRequest, earlier: readonly HttpResponse[]): ImagesResponse | Next {
  const { output, usage } = object(answer.body) ?? {}
  const { task_status: status, results, code, message } = object(output) ?? {}
  const poll = taskRequest('GET', output)
  if (!poll) throw new HeadgateError('upstream', 'The provider accepted the task, but its response has no `task_id`.')
  if (status === 'PENDING' || status === 'RUNNING') return next(poll, pollDelayMs(earlier))
  const items = objects(results)
  const made = items.flatMap(({ url, actual_prompt }) =>
    text(url)
      ? [{ url: text(url), revised: input.more['prompt_extend'] === false ? undefined : text(actual_prompt) }]
      : [],
  )
  if (made.length > 0)
    return { images: made, usage: unitUsage({ images: number(object(usage)?.['image_count']) ?? made.length }) }
  return refused({ code, message }, items)
}

/** Result without an image: refused by the content policy, or an error. */
function refused(output: Json, items: readonly Json[]): ImagesResponse {
  const { code, message } = text(output['code']) ? output : (items[0] ?? output)
  const reason = text(message) ?? text(code) ?? 'The provider returned no image and no reason.'
  if (/^DataInspection|^IPInfringement/.test(text(code) ?? ''))
    return { images: [], blocked: reason, usage: unitUsage({ images: 0 }) }
  throw new HeadgateError('upstream', reason)
}

function readMessage({ body }: HttpResponse): ImagesResponse {
  const { output, usage, code, message } = object(body) ?? {}
  const contents = objects(object(output)?.['choices']).flatMap((choice) =>
    objects(object(choice['message'])?.['content']),
  )
  const revised = contents.map((part) => text(part['text'])).find(Boolean)
  const made = contents.flatMap(({ image }) => (text(image) ? [{ url: text(image), revised }] : []))
  if (made.length === 0) return refused({ code, message }, [])
  const count = number(object(usage)?.['image_count']) ?? made.length
  return { images: made, usage: unitUsage({ images: count }) }
}

/** Models of images. Their prices differ by region, so they are unknown. */
export const imageModels: readonly ModelFacts[] = [
  'qwen-image-2.0-pro',
  'qwen-image-2.0',
  'qwen-image-max',
  'qwen-image-plus',
  'qwen-image',
  'qwen-image-edit-max',
  'qwen-image-edit-plus',
  'qwen-image-edit',
  'wan2.7-image-pro',
  'wan2.6-image',
  'wan2.2-t2i-plus',
  'wan2.2-t2i-flash',
].map((id) => ({ id, families: ['images'] }))
