import { describe, expect, it } from 'vitest'
import { budgetsOfKey } from '../web/budgets/scope.ts'
import { isWhole } from '../web/charts/series.ts'
import { projectSums } from '../web/pages/spend/statement-sums.ts'

const KEY = { id: 'key_1', project: 'prj_1', createdBy: 'usr_1' }
const SUMS = {
  requests: 2,
  failed: 0,
  unpriced: 0,
  usageUnknown: 0,
  input: 3,
  output: 4,
  cacheRead: 0,
  cacheWrite: 0,
  cost: '5',
  held: '0',
}
const TERMS = {
  period: 'day',
  zone: 'UTC',
  counts: 'charged',
  held: '0',
  tiedUp: '0',
  source: 'store',
  version: 1,
} as const

function budget(scope: 'key' | 'project' | 'member' | 'organization', owner: string, left: number, soft = false) {
  return {
    ...TERMS,
    id: `${scope} ${owner}`,
    name: `${scope} ${owner}`,
    scope,
    owner,
    soft,
    limit: '100',
    spent: String(100 - left),
  }
}

describe('What a key can still spend', () => {
  it('is the least that is left of the budgets of it, its project, its creator and the organization', () => {
    const budgets = [
      budget('key', 'key_1', 40),
      budget('key', 'key_2', 1),
      budget('member', 'usr_1', 30),
      budget('member', 'usr_2', 2),
      budget('project', 'prj_1', 20),
      budget('project', 'prj_2', 3),
      budget('organization', 'org_1', 50),
    ]
    expect(budgetsOfKey(KEY, budgets, []).map(({ id, left }) => [id, left])).toEqual([
      ['project prj_1', 20n],
      ['member usr_1', 30n],
      ['key key_1', 40n],
      ['organization org_1', 50n],
    ])
  })

  it('has budgets of others for members, without those of other projects, and ones that alert at the end', () => {
    const shared = (owner: string, left: string, soft = false) => ({
      id: owner,
      scope: 'project' as const,
      owner,
      name: owner,
      period: 'month' as const,
      soft,
      left,
    })
    const found = budgetsOfKey(
      KEY,
      [budget('key', 'key_1', 40)],
      [shared('prj_1', '7'), shared('prj_2', '1'), { ...shared('prj_1', '0', true), id: 'alerts' }],
    )
    expect(found.map(({ id, left, budget: all }) => [id, left, all !== undefined])).toEqual([
      ['prj_1', 7n, false],
      ['key key_1', 40n, true],
      ['alerts', 0n, false],
    ])
  })

  it('has no budgets of members if nobody created the key', () => {
    expect(budgetsOfKey({ id: 'key_1', project: 'prj_1' }, [budget('member', 'usr_1', 1)], [])).toEqual([])
  })
})

describe('A statement', () => {
  it('has a sum of each project, the highest first', () => {
    const line = (project: string | null, model: string, charged: string) => ({
      project,
      projectName: project && `Project ${project}`,
      model,
      sums: { ...SUMS, charged },
    })
    expect(
      projectSums([
        line('a', 'x', '1'),
        line('b', 'x', '9007199254740993'),
        line('a', 'y', '10'),
        line(null, 'x', '2'),
      ]),
    ).toEqual([
      { project: 'b', projectName: 'Project b', requests: 2, tokens: 7, charged: 9_007_199_254_740_993n, cost: 5n },
      { project: 'a', projectName: 'Project a', requests: 4, tokens: 14, charged: 11n, cost: 10n },
      { project: null, projectName: null, requests: 2, tokens: 7, charged: 2n, cost: 5n },
    ])
  })
})

describe('The ticks of a chart', () => {
  it('are whole for counts, and not for amounts', () => {
    const series = (values: readonly (number | null)[]) => [{ id: 'a', title: 'a', values }]
    expect(isWhole(series([0, 1, null]))).toBe(true)
    expect(isWhole(series([0, 0.5]))).toBe(false)
  })
})
