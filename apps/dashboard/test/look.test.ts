import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OUTCOMES } from '../web/labels.ts'
import { barFieldsOf } from '../web/shell/navigation.ts'

const WEB = join(import.meta.dirname, '../web')
const STYLES = readFileSync(join(WEB, 'styles/app.css'), 'utf8')

describe('The pages', () => {
  it('have no fields of the browser that differ from system to system', () => {
    const native = /<select|<datalist|type="(?:date|datetime-local|time|month|week|color|number)"/
    const files = globSync('**/*.tsx', { cwd: WEB })
    expect(files.length).toBeGreaterThan(100)
    expect(files.filter((file) => native.test(readFileSync(join(WEB, file), 'utf8')))).toEqual([])
  })

  it('have one color for each outcome, in both schemes', () => {
    const colors = Object.keys(OUTCOMES).map((outcome) => {
      const [, light, dark] =
        new RegExp(`--outcome-${outcome}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(STYLES) ?? []
      return { light, dark }
    })
    for (const scheme of ['light', 'dark'] as const) {
      const all = colors.map((color) => color[scheme])
      expect(all).not.toContain(undefined)
      expect(new Set(all).size).toBe(all.length)
    }
    for (const { color } of Object.values(OUTCOMES)) expect(STYLES).toContain(`${color}: var(`)
  })

  it('have only those fields in the top bar that act on them', () => {
    const fields = (path: string, search = {}) => {
      const { hasScope, hasRange } = barFieldsOf(path, search)
      return [hasScope, hasRange]
    }
    for (const path of ['/spend', '/explain', '/requests']) expect([path, ...fields(path)]).toEqual([path, true, true])
    for (const path of ['/organization', '/models', '/providers', '/start', '/account'])
      expect([path, ...fields(path)]).toEqual([path, false, false])
    expect(fields('/keys')).toEqual([true, false])
    expect(fields('/keys', { row: 'key_1' })).toEqual([true, true])
    expect(fields('/organization', { tab: 'audit' })).toEqual([false, true])
  })
})
