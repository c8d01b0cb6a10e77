import { describe, expect, it } from 'vitest'
import { isEnvelope, seal, unseal, unsealThought } from '../../src/canonical/envelope.ts'

const gemini = { signer: 'gemini', value: 'CpwBAVSoXO4/+==' }

describe('An envelope of a signature', () => {
  it('brings a foreign signature to a client and back, in both forms', () => {
    expect(seal(gemini, 'claude')).toMatch(/^hg1\.gemini\.[A-Za-z0-9_-]+$/)
    expect(unseal(seal(gemini, 'claude'), 'claude')).toEqual(gemini)
    expect(seal(gemini, 'claude', 'base64')).toMatch(/^[A-Za-z0-9+/]+=*$/)
    expect(unseal(seal(gemini, 'claude', 'base64'), 'claude')).toEqual(gemini)
  })

  it('keeps values that are not ASCII byte for byte', () => {
    const signature = { signer: 'openai', value: 'rs_1|é€🙂' }
    expect(unseal(seal(signature, 'claude'))).toEqual(signature)
    expect(unseal(seal(signature, 'claude', 'base64'))).toEqual(signature)
  })

  it('opens a base64 form that a client has rewritten to the URL-safe alphabet without padding', () => {
    const sealed = seal({ signer: 'claude', value: 'ÿþýüûúùø>>>???' }, 'gemini', 'base64')
    expect(unseal(sealed.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''), 'gemini')?.signer).toBe('claude')
  })

  it('case 115: the native signer stands bare', () => {
    expect(seal({ signer: 'claude', value: 'EqQB+/=' }, 'claude')).toBe('EqQB+/=')
    expect(unseal('EqQB+/=', 'claude')).toEqual({ signer: 'claude', value: 'EqQB+/=' })
  })

  it('tells encrypted reasoning from a signature, where that is said', () => {
    const sealed = seal(gemini, 'claude', 'base64', true)
    expect(unsealThought(sealed, 'claude')).toEqual({ signature: gemini, redacted: true })
    expect(unsealThought(seal(gemini, 'claude', 'base64'), 'claude')).toEqual({ signature: gemini })
    expect(unsealThought('EqQB+/=', 'claude')).toEqual({ signature: { signer: 'claude', value: 'EqQB+/=' } })
    expect([unseal(sealed, 'claude'), isEnvelope(sealed)]).toEqual([gemini, true])
  })

  it('says nothing of a bare value where the format has no signer', () => {
    expect(unseal('EqQB+/=')).toBeUndefined()
    expect(unseal('', 'claude')).toBeUndefined()
  })

  it.each([
    ['without a payload', 'hg1.gemini.'],
    ['without a signer', 'hg1..YQ'],
    ['with a signer that is no name', 'hg1.Not A Name.YQ'],
    ['with a payload that is not base64url', 'hg1.gemini.***'],
    ['with an unknown kind', 'hg1.gemini.YQ.YQ'],
    ['with more parts', 'hg1.gemini.YQ.redacted.YQ'],
    ['of another version', 'hg2.gemini.YQ'],
    ['with bytes that are no UTF-8', 'hg1.gemini._w'],
    ['in base64 that holds no envelope', 'aGcxLnJ1YmJpc2g='],
    ['longer than a megabyte', `hg1.gemini.${'YWFh'.repeat(300_000)}`],
  ])('takes an envelope %s for a bare value', (_, value) => {
    expect(unseal(value, 'claude')).toEqual({ signer: 'claude', value })
    expect(unseal(value)).toBeUndefined()
  })
})
