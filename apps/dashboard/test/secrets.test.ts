import { describe, expect, it } from 'vitest'
import { forgetSecret, onSecret, secretNow, shownSince, showSecret } from '../web/secrets/shown-secret.ts'

const secretOf = (secret: string) => ({ title: 'The key', label: 'The key', secret, advice: 'Store it.' })

describe('A secret that was just made', () => {
  it('is shown until it was stored, and is nowhere then', () => {
    let told = 0
    const end = onSecret(() => {
      told += 1
    })
    expect([secretNow(), shownSince()]).toEqual([undefined, undefined])
    showSecret(secretOf('one'))
    const first = shownSince()
    expect([secretNow()?.secret, typeof first]).toEqual(['one', 'number'])
    showSecret(secretOf('two'))
    expect([secretNow()?.secret, shownSince() === first]).toEqual(['two', false])
    forgetSecret()
    expect([secretNow(), shownSince(), told]).toEqual([undefined, undefined, 3])
    end()
    forgetSecret()
    expect(told).toBe(3)
  })
})
