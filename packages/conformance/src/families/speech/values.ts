import { type Check, distinct } from '../../checks/check.ts'
import { question, said } from './sound.ts'
import type { SpeechTarget } from './target.ts'
import { speechVendor } from './vendor.ts'

export const voiceCheck: Check<SpeechTarget> = {
  name: "maps OpenAI's voices, and lists the voices of the model for unknown ones",
  async run({ harness, speech }) {
    const findings: string[] = []
    const { alloy, isClosed = false, voice } = speech
    if (alloy !== undefined) {
      const vendor = speechVendor(speech)
      harness.upstream.answer(vendor.answer)
      const got = await harness.ask(question(speech, { voice: 'alloy' }))
      if (vendor.asked[0]?.voice !== alloy)
        findings.push(
          `For the voice alloy, the vendor got ${vendor.asked[0]?.voice}, expected ${alloy}: fix \`voiceNames\` in \`speech.can\`. (${said(got).slice(0, 120)})`,
        )
    }
    harness.upstream.answer(speechVendor(speech).answer)
    const got = await harness.ask(question(speech, { voice: 'no-such-voice' }))
    const isRejected = got.status === 400 && harness.upstream.received.length === 0
    if (isClosed && !(isRejected && got.text.includes(voice)))
      findings.push(`For an unknown voice, callers get ${said(got)} Expected: 400 with the voices; fix \`voices\`.`)
    if (!isClosed && isRejected)
      findings.push('A voice was rejected, but the vendor also has own voices: remove `voices` from `speech.can`.')
    return findings
  },
}

export const lengthCheck: Check<SpeechTarget> = {
  name: 'accepts the longest text, and rejects a longer one before anything is sent',
  async run({ harness, speech }) {
    const { maxCharacters: most } = speech
    harness.upstream.answer(speechVendor(speech).answer)
    const ask = async (length: number, due: 200 | 400): Promise<string[]> => {
      const before = harness.upstream.received.length
      // One character outside of the basic plane is two UTF-16 units.
      const got = await harness.ask(question(speech, { input: `${'x'.repeat(length - 1)}🦊` }))
      const isSent = harness.upstream.received.length > before
      if (got.status === due && isSent === (due === 200)) return []
      return [
        `For ${length} characters, callers get ${said(got).slice(0, 200)} Expected: ${due}; fix \`maxCharacters\`.`,
      ]
    }
    return most === undefined ? ask(20_000, 200) : [...(await ask(most, 200)), ...(await ask(most + 1, 400))]
  },
}

export const speedCheck: Check<SpeechTarget> = {
  name: 'sends the speed and the instructions, or declares that it cannot',
  async run({ harness, speech }) {
    const findings: string[] = []
    const [least, most] = speech.speed ?? [0.5, 2]
    const expect = async (more: { speed?: number; instructions?: string }, isSent: boolean): Promise<void> => {
      const vendor = speechVendor(speech)
      harness.upstream.answer(vendor.answer)
      const got = await harness.ask(question(speech, more))
      const [asked] = vendor.asked
      for (const [field, value] of Object.entries(more)) {
        const found = asked?.[field as keyof typeof more]
        const isDeclared = got.headers['headgate-lost']?.split(', ').includes(field) ?? false
        if (got.status === 200 && (isSent ? found === value && !isDeclared : found === undefined && isDeclared))
          continue
        findings.push(
          `For \`${field}: ${value}\`, the vendor got ${found}, and headgate-lost is ${got.headers['headgate-lost']}: fix \`${field}\` in \`speech.request\` and \`speech.can\`. (${said(got).slice(0, 120)})`,
        )
      }
    }
    for (const speed of [least, most]) await expect({ speed }, speech.speed !== undefined)
    await expect({ instructions: 'Whisper.' }, speech.instructions === true)
    if (speech.speed) findings.push(...(await outOfRange({ harness, speech }, [least / 1.5, most * 1.5])))
    return distinct(findings)
  },
}

async function outOfRange(
  { harness, speech }: Pick<SpeechTarget, 'harness' | 'speech'>,
  speeds: readonly number[],
): Promise<string[]> {
  const findings: string[] = []
  for (const speed of speeds) {
    harness.upstream.answer(speechVendor(speech).answer)
    const got = await harness.ask(question(speech, { speed }))
    if (got.status !== 400 || harness.upstream.received.length > 0)
      findings.push(`For the speed ${speed}, callers get ${said(got)} Expected: 400; fix \`speed\` in \`speech.can\`.`)
  }
  return findings
}
