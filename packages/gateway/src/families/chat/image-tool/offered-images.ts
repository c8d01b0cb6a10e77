import type {
  Block,
  ChatRequest,
  HostedTool,
  Json,
  Loss,
  MediaBlock,
  ModelFacts,
  ToolChoice,
} from '@headgate/core/canonical'
import { dropped, isObject, number, objects, parseArguments, type ToolCallBlock, text } from '@headgate/core/canonical'
import { invalid } from '@headgate/core/errors'
import type { Context } from '../../../serve/context.ts'
import type { ImageMaker, ImageWish } from '../../../serve/image-maker.ts'

/** Executor of a request's image tool. */
export type ImageToolMode = 'own' | 'provider' | 'off'

/** The gateway's images, for requests that may need them. */
export interface GatewayImages {
  readonly maker: ImageMaker
  readonly mode: Exclude<ImageToolMode, 'off'>
  /** Alias of the image model of tools that name none. */
  readonly alias: string | undefined
}

/** Image tool of a request that the gateway runs. */
export interface OfferedImages {
  /** The request with a function instead of the tool. */
  readonly request: ChatRequest
  /** Name of the function. */
  readonly name: string
  /** Maximum images per response. */
  readonly most: number
  /** Settings of all images. The model writes the prompt. */
  readonly wish: ImageWish
  /** Images of the conversation that the model can edit: the images of the latest message with images. */
  readonly images: readonly string[]
  readonly losses: readonly Loss[]
}

/** Maximum images per response. */
const MOST = 4
/** Maximum images of the conversation for one edit. */
const MOST_INPUTS = 4

const TYPE = 'image_generation'

/** Field of chat completions with the kinds of output. */
const MODALITIES = 'modalities'

function wantsImages(modalities: unknown): boolean {
  return Array.isArray(modalities) && modalities.includes('image')
}

/** True if a body may contain an image tool or ask for images. It must be fast, since it checks every body. */
export function mayDraw(json: Json): boolean {
  if (wantsImages(json[MODALITIES])) return true
  return Array.isArray(json['tools']) && objects(json['tools']).some(({ type }) => type === TYPE)
}

/** A body without image tools. */
export function withoutImageTools(json: Json): Json {
  const { tools } = json
  if (!Array.isArray(tools)) return json
  return { ...json, tools: tools.filter((one) => !isObject(one) || one['type'] !== TYPE) }
}

const PROMPT = { type: 'string', description: 'Detailed description of the image.' }
const EDIT = { type: 'boolean', description: 'True to change the latest images of the conversation. Default: false.' }
const DESCRIPTION =
  'Creates an image, which the user sees immediately. Do not describe it afterwards unless asked, and do not link to it.'

function schemaOf(canEdit: boolean): Json {
  return {
    type: 'object',
    properties: { prompt: PROMPT, ...(canEdit && { edit: EDIT }) },
    required: ['prompt'],
    additionalProperties: false,
  }
}

function isImageTool(tool: { type: string; name: string }): tool is HostedTool {
  return tool.type === 'hosted' && tool.name === TYPE
}

function freeName(request: ChatRequest): string {
  const taken = new Set((request.tools ?? []).filter((tool) => !isImageTool(tool)).map(({ name }) => name))
  let name = TYPE
  for (let count = 2; taken.has(name); count++) name = `${TYPE}_${count}`
  return name
}

function renamed(choice: ToolChoice | undefined, tool: HostedTool, name: string): ToolChoice | undefined {
  if (choice?.type === 'tool' && choice.name === tool.name) return { type: 'tool', name }
  if (choice?.type !== 'allowed') return choice
  return { ...choice, names: choice.names.map((one) => (one === tool.name ? name : one)) }
}

/** Options of the tool that the gateway does not support, with the reason. */
const LOST: Readonly<Record<string, string>> = {
  moderation: 'the provider moderates as it does without this option',
  input_fidelity: 'the image model has no such option',
  partial_images: 'the gateway sends only finished images',
}

function lossesOf(fields: Json, at: string): Loss[] {
  const losses: Loss[] = []
  for (const [name, reason] of Object.entries(LOST))
    if (fields[name] !== undefined && fields[name] !== null && fields[name] !== 0 && fields[name] !== 'auto')
      dropped(losses, `${at}.${name}`, reason)
  return losses
}

function urlOf({ source, mime = 'image/png' }: MediaBlock): string | undefined {
  if (source.type === 'base64') return `data:${mime};base64,${source.data}`
  return source.type === 'url' && /^https?:/i.test(source.url) ? source.url : undefined
}

/** URLs of the images in blocks. */
export function imagesIn(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    if (block.type === 'tool-result') return imagesIn(block.blocks)
    return block.type === 'media' && block.kind === 'image' ? (urlOf(block) ?? []) : []
  })
}

function latestImages({ messages }: ChatRequest): readonly string[] {
  for (const { blocks } of messages.toReversed()) {
    const found = imagesIn(blocks)
    if (found.length > 0) return found.slice(-MOST_INPUTS)
  }
  return []
}

function maskOf(mask: unknown, at: string): string | undefined {
  if (mask === undefined || mask === null) return undefined
  const url = isObject(mask) ? text(mask['image_url']) : undefined
  if (url !== undefined) return url
  throw invalid(`${at}.input_image_mask`, `${at}.input_image_mask must have image_url: send the mask as a URL.`)
}

/** True for a model that is known to have no output of images. */
function hasNoImages(facts: ModelFacts | undefined): boolean {
  return facts !== undefined && facts.outputs?.includes('image') !== true
}

/** A request for images with the tool in place of its modalities; undefined = the request is not for images. */
function withTool(request: ChatRequest, facts: ModelFacts | undefined): ChatRequest | undefined {
  const { extensions, tools = [] } = request
  if (!extensions || !wantsImages(extensions.fields[MODALITIES]) || !hasNoImages(facts)) return undefined
  const { [MODALITIES]: _, ...fields } = extensions.fields
  const tool: HostedTool = { type: 'hosted', at: MODALITIES, name: TYPE }
  return { ...request, extensions: { ...extensions, fields }, tools: [...tools, tool] }
}

/**
 * The image tool of a request. A request for images (`modalities`) to a model without them gets the tool. Undefined if
 * the request has no tool, forbids it, asks for several choices, or if no image model is available.
 * @param facts facts of the model that gets the request
 * @throws HeadgateError if the image model does not support the tool's settings
 */
export function offeredImages(
  context: Context,
  given: ChatRequest,
  { maker, alias }: GatewayImages,
  facts: ModelFacts | undefined,
): OfferedImages | undefined {
  const request = given.tools?.some(isImageTool) ? given : withTool(given, facts)
  if (!request) return undefined
  const { tools = [], toolChoice: choice } = request
  const tool = tools.find(isImageTool)
  if (!tool || choice?.type === 'none' || (request.n ?? 1) > 1) return undefined
  const declared = tool.extensions?.fields[TYPE]
  const fields = isObject(declared) ? declared : {}
  const at = tool.at ?? 'tools'
  const named = text(fields['model'])
  const model = maker.modelFor(context.principal, [named, alias])
  if (model === undefined) return undefined
  const losses = lossesOf(fields, at)
  if (named !== undefined && named !== model)
    losses.push({ path: `${at}.model`, kind: 'changed', reason: `the image model is ${model}` })
  const mask = maskOf(fields['input_image_mask'], at)
  const images = fields['action'] === 'generate' ? [] : latestImages(request)
  const wish: ImageWish = {
    model,
    prompt: 'x',
    size: text(fields['size']),
    quality: text(fields['quality']),
    background: text(fields['background']),
    format: text(fields['output_format']),
    compression: number(fields['output_compression']),
    images: [],
    mask,
  }
  for (const loss of maker.lossesOf(context, wish)) losses.push({ ...loss, path: `${at}.${loss.path}` })
  const name = freeName(request)
  const toolChoice = renamed(choice, tool, name)
  const own = {
    type: 'function',
    name,
    description: DESCRIPTION,
    schema: schemaOf(images.length > 0),
    ...(tool.at !== undefined && { at: tool.at }),
  } as const
  return {
    request: {
      ...request,
      tools: tools.filter((one) => one === tool || !isImageTool(one)).map((one) => (one === tool ? own : one)),
      ...(toolChoice && { toolChoice }),
    },
    name,
    most: MOST,
    wish,
    images,
    losses,
  }
}

/** Maximum characters of a prompt, as OpenAI's. */
const LONGEST_PROMPT = 32_000

/** Wish of a tool call; undefined if it has no prompt. `latest` are the images to edit. */
export function wishOf(
  { arguments: args }: ToolCallBlock,
  { wish }: OfferedImages,
  latest: readonly string[],
): ImageWish | undefined {
  const given = parseArguments(args)
  const prompt = text(given?.['prompt'])?.trim().slice(0, LONGEST_PROMPT).toWellFormed()
  if (!prompt) return undefined
  const images = given?.['edit'] === true ? latest.slice(-MOST_INPUTS) : []
  return { ...wish, prompt, images, mask: images.length > 0 ? wish.mask : undefined }
}
