import type { CallerResponse } from '../../caller.ts'
import { type Check, distinct } from '../../checks/check.ts'
import { isDeclared, isNative, question, said } from './drawing.ts'
import type { ImagesMeaning } from './facts.ts'
import type { ImagesTarget } from './target.ts'
import { imagesVendor } from './vendor.ts'

/** Field of a caller, its value, the field of the meaning, and whether the vendor supports the value. */
type ImageOption = readonly [field: string, value: unknown, member: keyof ImagesMeaning, isAble: boolean]

/** Values that the vendor does not have are refused with a 400 for these, otherwise declared as lost. */
const REFUSED: ReadonlySet<string> = new Set(['output_format', 'background'])

function optionsOf({ images: { can } }: ImagesTarget): readonly ImageOption[] {
  const { qualities = [], formats = [], seed = false, negative = false, user = false, transparent = false } = can
  return [
    ...['low', 'high', 'no-such-quality'].map(
      (one): ImageOption => ['quality', one, 'quality', qualities.includes(one)],
    ),
    ...(['png', 'jpeg', 'webp'] as const)
      .filter((one) => can.formats !== undefined || one === 'png')
      .map((one): ImageOption => ['output_format', one, 'format', formats.includes(one)]),
    ['seed', 0, 'seed', seed],
    ['seed', 4_294_967, 'seed', seed],
    ['negative_prompt', 'blurry 🌫', 'negative', negative],
    ['user', 'user-1', 'user', user],
    ['background', 'transparent', 'background', transparent],
  ]
}

async function ask(
  target: ImagesTarget,
  more: object,
): Promise<{ got: CallerResponse; asked: ImagesMeaning | undefined }> {
  const { harness, images } = target
  const vendor = imagesVendor(images)
  harness.upstream.answer(vendor.answer)
  const got = await harness.ask(question(images, more))
  return { got, asked: vendor.asked[0] }
}

/** Everything that the facts claim reaches the vendor as asked; everything else is refused or declared. */
export const optionsCheck: Check<ImagesTarget> = {
  name: 'sends all settings that its vendor has, and refuses or declares the others',
  async run(target) {
    const findings: string[] = []
    for (const [field, value, member, isAble] of optionsOf(target)) {
      const { got, asked } = await ask(target, { [field]: value })
      const found = asked?.[member]
      const mayRefuse = REFUSED.has(field) && !(field === 'output_format' && target.images.can.formats === undefined)
      const isRight = isAble
        ? // The vendor of the kit makes PNG only, which the gateway declares.
          got.status === 200 && found === value && (field === 'output_format' || !isDeclared(got, field))
        : mayRefuse
          ? got.status === 400 && asked === undefined
          : found === undefined && (isDeclared(got, field) || (isNative(target) && got.status === 400))
      if (isRight) continue
      findings.push(
        `For \`${field}: ${String(value)}\`, the vendor got ${String(found)}, expected ${isAble ? String(value) : mayRefuse ? 'a 400' : 'nothing, and a declared loss'}: fix \`images.request\` and \`images.can\`. (${said(got).slice(0, 160)})`,
      )
    }
    return distinct(findings)
  },
}

/** Sizes in pixels, or ratios and resolutions. */
export const sizeCheck: Check<ImagesTarget> = {
  name: 'sends the sizes, ratios and resolutions of its vendor, and the nearest ones for others',
  async run(target) {
    const { sizes, ratios = [], resolutions = {} } = target.images.can
    const findings: string[] = []
    const expect = async (more: object, due: Partial<ImagesMeaning>, lost?: string): Promise<void> => {
      const { got, asked } = await ask(target, more)
      const wrong = Object.entries(due).filter(
        ([name, value]) => JSON.stringify(asked?.[name as keyof ImagesMeaning]) !== JSON.stringify(value),
      )
      const isHonest = lost === undefined || isDeclared(got, lost)
      if (got.status === 200 && wrong.length === 0 && isHonest) return
      findings.push(
        `For ${JSON.stringify(more)}, the vendor got ${JSON.stringify({ size: asked?.size, ratio: asked?.ratio, resolution: asked?.resolution })}, expected ${JSON.stringify(due)}${lost === undefined ? '' : ` and the loss ${lost}`}: fix \`sizes\`, \`ratios\` or \`resolutions\` in \`images.can\`, or \`images.request\`. (${said(got).slice(0, 120)})`,
      )
    }
    const list = Array.isArray(sizes) ? sizes : sizes === undefined ? [] : ['1024x1024']
    for (const size of list.slice(0, 4)) {
      const [width, height] = size.split(/[x*]/).map(Number) as [number, number]
      await expect({ size: `${width}x${height}` }, { size: { width, height } })
    }
    if (sizes !== undefined && sizes !== 'any' && !isNative(target)) await expect({ size: '1777x1003' }, {}, 'size')
    if (sizes === undefined) {
      for (const ratio of ratios) await expect({ aspect_ratio: ratio }, { ratio })
      for (const resolution of Object.keys(resolutions)) await expect({ resolution }, { resolution })
      await expect({ size: '1777x1003' }, {}, 'size')
    }
    return distinct(findings)
  },
}
