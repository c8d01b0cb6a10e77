import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { snippetsOf } from '../web/snippets/snippets.ts'

const HARD = {
  origin: 'http://127.0.0.1:8787',
  secret: 'hg_x',
  model: `it's/"$(echo no)"`,
  prompt: `Don't say "$HOME".\n`,
}

describe('Code for a client', () => {
  it('fills in key, model and address', () => {
    for (const { id, text } of snippetsOf({ ...HARD, model: 'demo', prompt: 'Hi' })) {
      expect([id, text.includes('hg_x'), text.includes('demo'), text.includes('127.0.0.1:8787')]).toEqual([
        id,
        true,
        true,
        true,
      ])
    }
  })

  it('of a terminal says what it is told, whatever is in it', () => {
    const [terminal] = snippetsOf(HARD)
    const { stdout } = spawnSync('sh', ['-c', (terminal?.text ?? '').replace(/^curl \S+/, 'printf "%s\\n"')], {
      encoding: 'utf8',
    })
    const body = stdout.trim().split('\n').at(-1) ?? ''
    expect(JSON.parse(body)).toEqual({ model: HARD.model, messages: [{ role: 'user', content: HARD.prompt }] })
  })
})
