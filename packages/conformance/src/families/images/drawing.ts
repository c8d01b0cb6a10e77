import type { CallerResponse } from '../../caller.ts'
import { type Check, distinct } from '../../checks/check.ts'
import { envelopeProblems, lineProblems } from '../../checks/envelope.ts'
import { object, objects, text } from '../../json.ts'
import type { Received } from '../../upstream.ts'
import type { ImagesFacts } from './facts.ts'
import type { ImagesTarget } from './target.ts'
import { imagesVendor, tokensOf } from './vendor.ts'

/** Prompt beyond ASCII. */
const PROMPT = 'Ein Fuchs 🦊 im Wald, "短い"\nand a hat'

/** Request of a caller. */
export function question({ model }: ImagesFacts, more: object = {}) {
  return { path: '/v1/images/generations', body: { model, prompt: PROMPT, ...more } }
}

export function said(got: CallerResponse): string {
  return `status ${got.status}, ${got.text.slice(0, 200)}.`
}

/** Images of a response. */
export function imagesIn(got: CallerResponse): Buffer[] {
  return objects(object(got.body)['data']).map(({ b64_json }) => Buffer.from(text(b64_json), 'base64'))
}

/** True if the response declares a field as lost. */
export function isDeclared(got: CallerResponse, field: string): boolean {
  return (got.headers['headgate-lost'] ?? '').split(', ').some((one) => one === field || one === `${field};changed`)
}

/** True if callers of OpenAI's wire reach the vendor without translation, so that the vendor refuses what it lacks. */
export function isNative({ harness: { provider }, images: { model } }: ImagesTarget): boolean {
  const native = provider.images?.native
  return (typeof native === 'function' ? native(model) : native) !== undefined
}

function withoutHeaders(request: Received, names: readonly string[] = []): Received {
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !names.includes(name)))
  return { ...request, headers }
}

/** Transport, checked before everything that uses it. */
export const imagesReachCheck: Check<ImagesTarget> = {
  name: 'reaches its upstream with a request for an image',
  isGate: true,
  async run({ harness, images }) {
    const vendor = imagesVendor(images)
    harness.upstream.answer(vendor.answer)
    const got = await harness.ask(question(images))
    if (harness.upstream.received.length === 0)
      return [
        `No request for an image reached the upstream: ${said(got)} Fix \`images.request\`, \`can\`, \`hosts\` and \`credential\` first.`,
      ]
    return vendor.refusals.map(
      (reason) => `The vendor would reject this with a 400: ${reason}. Fix \`images.request\` first. (${said(got)})`,
    )
  },
}

export const drawingCheck: Check<ImagesTarget> = {
  name: 'creates an image of a prompt, byte for byte',
  async run({ harness, images, upstream }) {
    const vendor = imagesVendor(images)
    harness.upstream.answer(vendor.answer)
    const got = await harness.ask(question(images))
    const [asked] = vendor.asked
    const [made] = vendor.made
    const [first, ...others] = imagesIn(got)
    return distinct([
      ...harness.upstream.received
        .filter(({ method }) => method === 'POST')
        .flatMap((request) => [
          ...lineProblems(request, images.paths, images.model, '`images.request`'),
          ...envelopeProblems(withoutHeaders(request, images.headers), upstream),
        ]),
      ...(asked?.prompt === PROMPT && (asked.n ?? 1) === 1 && asked.images.length === 0
        ? []
        : [`The vendor read ${JSON.stringify(asked)?.slice(0, 300)}: fix \`images.request\`.`]),
      ...(got.status === 200 && made && first?.equals(made) && others.length === 0
        ? []
        : [`Callers get other images than the vendor sent: fix \`images.response\`. (${said(got)})`]),
    ])
  },
}

/** More images than the vendor makes in one call. */
export const countCheck: Check<ImagesTarget> = {
  name: 'makes each number of images, by several calls if one makes fewer',
  async run({ harness, images }) {
    const { n: most = 1 } = images.can
    const findings: string[] = []
    for (const n of new Set([most, Math.min(most + 1, 10)])) {
      const vendor = imagesVendor(images)
      harness.upstream.answer(vendor.answer)
      const before = harness.rows.length
      const got = await harness.ask(question(images, { n }))
      const calls = vendor.asked.map((asked) => asked.n ?? 1)
      const due = vendor.made.map((image) => Buffer.from(image).toString('base64')).sort()
      const is = imagesIn(got).map((image) => image.toString('base64'))
      const attempts = harness.rows.slice(before).at(-1)?.attempts.length
      if (is.length !== n || is.sort().join() !== due.join())
        findings.push(
          `For n = ${n}, callers get ${is.length} images of ${due.length} that the vendor sent: fix \`n\` in \`images.can\`, or \`images.response\`. (${said(got)})`,
        )
      if (calls.length !== Math.ceil(n / most))
        findings.push(
          `For n = ${n}, the vendor got calls for ${calls.join(' + ') || 'no'} images, and makes ${most} in one: fix \`n\` in \`images.can\` and \`images.request\`.`,
        )
      else if (attempts !== calls.length)
        findings.push(`The usage row has ${attempts} attempts for ${calls.length} calls.`)
    }
    return distinct(findings)
  },
}

export const imagesUsageCheck: Check<ImagesTarget> = {
  name: "records the upstream's usage of images, or counts them",
  async run({ harness, images }) {
    const vendor = imagesVendor(images)
    harness.upstream.answer(vendor.answer)
    const got = await harness.ask(question(images))
    const usage = harness.rows.at(-1)?.usage
    const [asked] = vendor.asked
    if (!asked) return [`The vendor got no request: ${said(got)}`]
    const due = tokensOf(asked, vendor.made.length)
    const isCounted =
      images.counts === 'tokens'
        ? usage?.input === due.input && usage.output === due.output && usage.imageOutput === due.output
        : usage?.units?.['images'] === 1 || Number(usage?.units?.['pixels']) > 0
    return isCounted
      ? []
      : [
          `The usage row has ${JSON.stringify(usage)}, and the upstream counted ${images.counts === 'tokens' ? JSON.stringify({ ...due, imageOutput: due.output }) : 'one image'}: fix \`usage\` of \`images.response\`.`,
        ]
  },
}
