import { invalid } from '@headgate/core/errors'
import { tokensOf } from '../../cost/bound.ts'
import type { ParsedBody } from '../../edge/body.ts'
import { headerOf } from '../../edge/sink.ts'
import type { Context } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { createFetcher } from '../../serve/media.ts'
import { readRequestBody } from '../../serve/request-body.ts'
import { route } from '../../serve/route.ts'
import { serveUnary } from '../../serve/unary.ts'
import { isForm } from '../../uploads/multipart.ts'
import { readUpload, type Upload } from '../../uploads/upload.ts'
import { callNative, callTranslated, type ImageServices } from './call.ts'
import {
  type ImagesInput,
  readFormEdits,
  readGenerations,
  readJsonEdits,
  readOpenRouter,
  readVariation,
} from './input.ts'
import { type ImagesCall, type ImagesPlan, type ImagesWire, planFor } from './plan.ts'
import { relayImages } from './stream.ts'
import { boundOf } from './usage.ts'

/** Alias for requests without a model. */
const DEFAULT_ALIAS = 'image'

function modelOf(core: Core, named: unknown): string {
  if (typeof named === 'string' && named !== '') return named
  if (Object.hasOwn(core.aliases, DEFAULT_ALIAS)) return DEFAULT_ALIAS
  throw invalid('model', 'The field model is missing.')
}

/** Serves one request for images. @throws HeadgateError for the caller */
function serveImages(core: Core, context: Context, asked: ImagesCall, services: ImageServices): Promise<void> {
  const { model, input, wire } = asked
  const fetch = createFetcher(core, context)
  return serveUnary<ImagesPlan>(core, context, {
    family: 'images',
    format: wire === 'open-router' ? 'images' : `image-${wire}`,
    model,
    estimate: () => ({ input: tokensOf(Buffer.byteLength(input.prompt)), output: 0 }),
    candidates: async () => route(core, context, { model, family: 'images' }),
    plan: (candidate) => planFor(asked, candidate),
    bound({ can, calls }) {
      const [first] = calls
      return first && boundOf(input, can, { ...first, n: calls.reduce((sum, { n }) => sum + n, 0) })
    },
    call: (plan, asking) =>
      plan.way === 'native' ? callNative(asked, plan, asking) : callTranslated(asked, plan, asking, services, fetch),
    relay: (plan, asking) => (plan.way === 'native' && input.isStream ? relayImages(asked, plan, asking) : undefined),
  })
}

const READERS = { generations: readGenerations, edits: readJsonEdits, 'open-router': readOpenRouter } as const

/** Serves a JSON request. @throws HeadgateError for the caller */
export async function serveJson(
  core: Core,
  context: Context,
  services: ImageServices,
  wire: Exclude<ImagesWire, 'variations'>,
): Promise<void> {
  const body: ParsedBody = await readRequestBody(core, context)
  const input = READERS[wire](body.json)
  const hasLinks = services.files !== undefined
  return serveImages(core, context, { model: modelOf(core, body.json['model']), wire, input, body, hasLinks }, services)
}

/** Serves a form. @throws HeadgateError for the caller */
export async function serveForm(
  core: Core,
  context: Context,
  services: ImageServices,
  wire: 'edits' | 'variations',
): Promise<void> {
  const contentType = headerOf(context.incoming, 'content-type')
  if (wire === 'edits' && !isForm(contentType)) return serveJson(core, context, services, 'edits')
  if (!isForm(contentType))
    throw invalid('content-type', 'The body must be a multipart form (multipart/form-data) with the field image.')
  const upload = await readUpload(context, core.spools, core.limits.upload)
  try {
    const input = await readForm(upload, wire)
    const hasLinks = services.files !== undefined
    const model = modelOf(core, upload.text('model'))
    await serveImages(core, context, { model, wire, input, upload, hasLinks }, services)
  } finally {
    await upload.close()
  }
}

function readForm(upload: Upload, wire: 'edits' | 'variations'): Promise<ImagesInput> {
  return wire === 'edits' ? readFormEdits(upload) : readVariation(upload)
}
