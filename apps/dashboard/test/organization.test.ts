import { describe, expect, it } from 'vitest'
import { agentName } from '../web/pages/account/agent.ts'
import { filtersOf, KNOWN_ACTIONS } from '../web/pages/organization/audit/audit.ts'
import { changesOf, changeText } from '../web/pages/organization/audit/changes.ts'
import { sentenceOf } from '../web/pages/organization/audit/sentences.ts'
import { rolesUnder } from '../web/pages/organization/members/roles.tsx'
import { ORGANIZATION_SEARCH } from '../web/pages/organization/search.ts'
import { domainsOf, signUpSentence } from '../web/pages/organization/sign-in/sign-up.tsx'
import { searchOf } from '../web/view/search.ts'

describe('An entry of the audit log', () => {
  it('says field by field what changed, and nothing that did not', () => {
    const entry = {
      action: 'key.change',
      before: { name: 'ci', models: ['a', 'b'], note: null },
      after: { name: 'ci', models: [], note: 'x' },
    }
    expect(changesOf(entry)).toEqual([
      { field: 'models', before: 'a, b', after: 'none' },
      { field: 'note', before: undefined, after: 'x' },
    ])
    expect(changesOf(entry).map(changeText)).toEqual(['models: a, b → none', 'note: x'])
  })

  it('says what is gone, and of what is new what it is', () => {
    expect(changesOf({ action: 'invite.revoke', before: { role: 'member' } }).map(changeText)).toEqual([
      'role: member → removed',
    ])
    expect(changesOf({ action: 'project.create', after: { name: 'Web', archived: false } }).map(changeText)).toEqual([
      'name: Web',
      'archived: no',
    ])
    expect(changesOf({ action: 'session.end' })).toEqual([])
  })

  it('is a sentence with names, times and durations', () => {
    const names = new Map([
      ['key_1', 'key web-prod'],
      ['per_1', 'Grace'],
    ])
    const say = (action: string, given: object = {}) => sentenceOf({ action, ...given }, names)
    expect(say('key.rotate', { target: 'key_1', after: { overlapMs: 86_400_000 } })).toBe(
      'Rotated key web-prod; the old secret works for another 24 h',
    )
    expect(say('key.rotate', { target: 'key_1', after: { overlapMs: 0 } })).toBe(
      'Rotated key web-prod; the old secret ended',
    )
    expect(say('key.trace', { target: 'key_1', after: {} })).toBe('Stopped recording key web-prod')
    const role = { target: 'per_1', before: { role: 'member' }, after: { role: 'admin' } }
    expect(say('member.role', role)).toBe('Changed the role of Grace from member to admin')
    expect(say('credential.set', { target: 'acme' })).toBe('Entered the credential of provider acme')
    expect(say('something.new', { target: 'x_1' })).toBe('something.new x_1')
    const traced = changesOf({ action: 'key.trace', after: { tracedUntil: 1_795_470_169_915, overlapMs: 86_400_000 } })
    expect(traced.map(({ after }) => after).join()).not.toMatch(/1795470169915|86400000/)
  })

  it('has a sentence for each action that it is searched by', () => {
    const actions = KNOWN_ACTIONS.filter((action) => action.includes('.'))
    expect(actions.filter((action) => sentenceOf({ action, target: 'x' }, new Map()).includes(action))).toEqual([])
  })

  it('has budgets in dollars, and texts that look like them as they are', () => {
    const [before, after] = [{ limit: '5000000000' }, { limit: '50000000' }]
    expect(changesOf({ action: 'budget.change', before, after }).map(changeText)).toEqual(['limit: $5.00 → $0.05'])
    expect(changesOf({ action: 'key.change', before, after }).map(changeText)).toEqual(['limit: 5000000000 → 50000000'])
  })
})

describe('The address of the page', () => {
  it('has the tab and what the log is searched by', () => {
    const search = searchOf(ORGANIZATION_SEARCH)({
      tab: 'audit',
      actor: 'per_1',
      action: 'key',
      target: '',
      state: 'some',
    })
    expect(search).toMatchObject({ tab: 'audit', actor: 'per_1', action: 'key' })
    expect(filtersOf(search)).toEqual({ actor: 'per_1', action: 'key' })
    expect(searchOf(ORGANIZATION_SEARCH)({ tab: 'elsewhere' }).tab).toBeUndefined()
  })
})

describe('Roles', () => {
  it('are given and taken by those who manage them', () => {
    expect(rolesUnder('all')).toEqual(['owner', 'admin', 'member', 'viewer'])
    expect(rolesUnder('not owners')).toEqual(['admin', 'member', 'viewer'])
    expect(rolesUnder(undefined)).toEqual([])
  })
})

describe('A browser', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
      'Chrome on Windows',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    ['curl/8.14.1', 'curl'],
    ['something of ours', 'something of ours'],
    [undefined, 'unknown'],
  ])('%s is %s', (agent, name) => {
    expect(agentName(agent)).toBe(name)
  })
})

describe('Who may sign up', () => {
  it('is said in a sentence', () => {
    expect(signUpSentence({ signUp: 'invite', domains: ['example.com'] })).toMatch(/^Only invited users/)
    expect(signUpSentence({ signUp: 'open', domains: [] })).toMatch(/^No one/)
    expect(signUpSentence({ signUp: 'open', domains: ['a.com', 'b.com'] })).toMatch(
      /at a\.com, b\.com can join as a member/,
    )
  })

  it('is typed as domains by lines, commas and spaces', () => {
    expect(domainsOf(' a.com,b.com\na.com  c.com\n')).toEqual(['a.com', 'b.com', 'c.com'])
  })
})
