import { type Check, distinct } from '../../checks/check.ts'
import { imagesIn, isNative, question, said } from './drawing.ts'
import type { ReceivedImage } from './facts.ts'
import type { ImagesTarget } from './target.ts'
import { imagesVendor, picture } from './vendor.ts'

/** Different images. */
function inputs(count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => picture({ width: 16, height: 16 + index }, index))
}

function dataUrl(bytes: Buffer): string {
  return `data:image/png;base64,${bytes.toString('base64')}`
}

function bytesIn(image: ReceivedImage | undefined): Buffer | undefined {
  if (!image) return undefined
  if ('bytes' in image) return Buffer.from(image.bytes)
  const data = /^data:image\/png;base64,(.*)$/s.exec(image.url)?.[1]
  return data === undefined ? undefined : Buffer.from(data, 'base64')
}

/** Images reach the vendor byte for byte and in their order; more than it takes are refused. */
export const editCheck: Check<ImagesTarget> = {
  name: 'edits images byte for byte, and refuses more than its vendor takes before anything is sent',
  async run(target) {
    const { harness, images } = target
    const { images: most = 0 } = images.can
    const findings: string[] = []
    const edit = (count: number, more: object = {}) => ({
      ...question(images, { images: inputs(count).map((one) => ({ image_url: dataUrl(one) })), ...more }),
      path: '/v1/images/edits',
    })
    for (const count of new Set([Math.min(most, 1), Math.min(most, 2), most])) {
      if (count === 0) continue
      const vendor = imagesVendor(images)
      harness.upstream.answer(vendor.answer)
      const got = await harness.ask(edit(count))
      const found = vendor.asked[0]?.images.map(bytesIn) ?? []
      const isSame = found.length === count && inputs(count).every((one, index) => found[index]?.equals(one))
      if (!isSame || imagesIn(got).length !== 1)
        findings.push(
          `For ${count} images to edit, the vendor got ${found.length}${found.length === count ? ', with other bytes or in another order' : ''}: fix \`images.request\`, or \`images\` in \`images.can\`. (${said(got)})`,
        )
    }
    harness.upstream.answer(imagesVendor(images).answer)
    const over = await harness.ask(edit(most + 1))
    if (over.status !== 400 || (harness.upstream.received.length > 0 && !isNative(target)))
      findings.push(
        `For ${most + 1} images to edit, callers get ${said(over)} Expected: 400; fix \`images\` in \`images.can\`.`,
      )
    const mask = { image_url: dataUrl(inputs(1)[0] as Buffer) }
    if (most > 0) findings.push(...(await maskProblems(target, edit(1, { mask }))))
    return distinct(findings)
  },
}

async function maskProblems(
  target: ImagesTarget,
  asking: Parameters<ImagesTarget['harness']['ask']>[0],
): Promise<string[]> {
  const { harness, images } = target
  const vendor = imagesVendor(images)
  harness.upstream.answer(vendor.answer)
  const got = await harness.ask(asking)
  const isSent = bytesIn(vendor.asked[0]?.mask)?.equals(inputs(1)[0] as Buffer) ?? false
  const isRefused = got.status === 400 && (harness.upstream.received.length === 0 || isNative(target))
  return (images.can.mask ? isSent : isRefused)
    ? []
    : [
        `For a mask, callers get ${said(got)} Expected: ${images.can.mask ? 'the vendor gets it' : '400'}; fix \`mask\` in \`images.can\` and \`images.request\`.`,
      ]
}
