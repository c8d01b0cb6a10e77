import {
  KEY_RIGHT_NAMES,
  KEY_SETTING_NAMES,
  type KeyRightName,
  type KeySettingName,
  type KeySettings,
} from '@headgate/gateway/ports'
import { authenticate, hashApiKey, openStore } from '@headgate/store'
import { expect, it, onTestFinished } from 'vitest'
import { loadSettings } from '../src/config/settings.ts'
import { command } from './program.ts'
import { startSignedIn } from './signed-in.ts'
import { temporaryFolder } from './temporary.ts'

/** A value of every right: a right without one does not compile. */
const RIGHTS: Readonly<Record<KeyRightName, readonly string[]>> = {
  models: ['demo'],
  search: ['local'],
  families: ['chat', 'search'],
  providers: ['demo'],
  policies: ['cheapest', 'priority'],
  labels: ['region=eu', 'zdr=true'],
  addresses: ['127.0.0.0/8'],
  scopes: ['metrics'],
}

/** A value of every right that is a single value. */
const SETTINGS: Required<KeySettings> & Readonly<Record<KeySettingName, unknown>> = {
  class: 'interactive',
  weight: 7,
  tracing: 'link',
}

it('A key of the configuration has every right', async () => {
  const folder = temporaryFolder({ 'headgate.config.json': { keys: [{ key: 'a-long-key', ...RIGHTS, ...SETTINGS }] } })
  const { keys } = await loadSettings({}, { folder, environment: {} })
  const find = authenticate({ keys: { findByHash: () => undefined } }, keys)
  expect(find('a-long-key')).toMatchObject({ ...RIGHTS, ...SETTINGS })
})

it('A key of the configuration names what is wrong with a right', async () => {
  const wrong = {
    families: ['chats'],
    policies: ['dearest'],
    labels: ['region', 'max-price=3'],
    addresses: ['localhost'],
    scopes: ['root'],
    class: 'urgent',
    weight: 0,
  }
  const folder = temporaryFolder({ 'headgate.config.json': { keys: [{ key: 'a-long-key', ...wrong }] } })
  await expect(loadSettings({}, { folder, environment: {} })).rejects.toThrow(
    /families.*chat.*[\s\S]*policies.*"cheapest"[\s\S]*labels\[0\].*region=eu[\s\S]*labels\[1\][\s\S]*addresses.*network[\s\S]*scopes.*metrics[\s\S]*class.*interactive[\s\S]*weight/,
  )
})

it('A key of the command has every right', async () => {
  const folder = temporaryFolder()
  const flags = KEY_RIGHT_NAMES.flatMap((name) => [`--${name}`, RIGHTS[name].join(',')])
  const settings = KEY_SETTING_NAMES.flatMap((name) => [`--${name}`, String(SETTINGS[name])])
  const { stdout } = await command(['keys', 'create', ...flags, ...settings], { folder })
  const store = await openStore({ dataDir: `${folder}/.headgate`, onProblem: () => {} })
  onTestFinished(() => store.close())
  expect(await store.keys.findByHash(hashApiKey(stdout.trim()))).toMatchObject({ ...RIGHTS, ...SETTINGS })
  const { stdout: list } = await command(['keys', 'list'], { folder })
  for (const name of [...KEY_RIGHT_NAMES, ...KEY_SETTING_NAMES]) expect(list).toContain(name.toUpperCase())
})

it('A key of the API has every right, and the audit log names each', async () => {
  const { owner } = await startSignedIn({ providers: { demo: {} } })
  const { stored } = await owner.read<{ stored: object }>('/keys', { body: { ...RIGHTS, ...SETTINGS } })
  expect(stored).toMatchObject({ ...RIGHTS, ...SETTINGS })
  const audit = JSON.stringify(await owner.read<object>('/audit'))
  for (const name of KEY_RIGHT_NAMES) expect(audit).toContain(`"${name}":${JSON.stringify(RIGHTS[name])}`)
  for (const name of KEY_SETTING_NAMES) expect(audit).toContain(`"${name}":${JSON.stringify(SETTINGS[name])}`)
})
