import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Scene, startScene } from '../../stage/scene.ts'
import { HOSTILE } from '../../stage/upstream.ts'
import { CHROMIUM, useBrowser } from './shown.ts'

/** What a request leaves behind is there a moment after the answer, and looked for until then. */
const allowed = [/status of 404 .*\/api\/v1\/(traces|usage)\/req_/]

describe.runIf(CHROMIUM)('The playground in a browser', { tags: ['full'], timeout: 600_000 }, () => {
  const open = useBrowser()
  let scene: Scene
  beforeAll(async () => {
    scene = await startScene()
  })
  afterAll(() => scene?.stop())

  it('asks two models side by side, and shows what was on the wire, lost and paid', async () => {
    const { page, faults, open: go } = await open(scene.origin, { person: scene.people.member, allowed })
    await go('/playground?models=demo,large')
    await page.getByLabel('Message', { exact: true }).last().fill('Say hello.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Headgate demo: no model was called.').first().waitFor()
    await page.getByText(HOSTILE).first().waitFor()
    expect(await page.locator('img[src="x"]').count()).toBe(0)
    for (const tab of ['Raw', 'Lost', 'Cost']) {
      await page.getByRole('tab', { name: tab }).first().click()
      await page.getByRole('tabpanel').filter({ visible: true }).last().waitFor()
    }
    await page.getByText('Code', { exact: true }).click()
    for (const model of ['large', 'demo']) {
      await page.getByRole('combobox', { name: 'Model', exact: true }).click()
      await page.getByRole('option', { name: model, exact: true }).click()
      await page.getByRole('figure', { name: 'Code for curl' }).getByText(`"${model}"`).waitFor()
    }
    expect(faults).toEqual([])
  })

  it('asks in all four formats, shows Markdown, and what each answer cost', async () => {
    const { page, faults, open: go } = await open(scene.origin, { person: scene.people.member, allowed })
    await go('/playground?models=demo')
    await page.getByText(/Prompts and responses are kept for 24 hours/).waitFor()
    await page.getByText('Parameters', { exact: true }).click()
    const formats = {
      'chat completions': /v1\/chat\/completions$/,
      responses: /v1\/responses$/,
      messages: /v1\/messages$/,
      generateContent: /v1beta\/models\/demo:streamGenerateContent$/,
    }
    for (const [format, path] of Object.entries(formats)) {
      await page.getByRole('combobox', { name: 'Request format' }).click()
      await page.getByRole('option', { name: format, exact: true }).click()
      await page.getByLabel('Message', { exact: true }).last().fill(`Say **${format}**.`)
      const asked = page.waitForRequest(
        (request) => path.test(new URL(request.url()).pathname) && !request.headers()['headgate-dry-run'],
      )
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await asked
      // The demo provider repeats what it was asked.
      await page.locator('strong', { hasText: format }).waitFor()
    }
    await page
      .getByText(/^Cost \$/)
      .nth(3)
      .waitFor()
    expect(await page.getByText(/tokens in, .* tokens? out/).count()).toBe(4)
    await page.getByText('Code', { exact: true }).click()
    await page.getByRole('tab', { name: 'OpenAI responses' }).click()
    await page.getByRole('figure', { name: 'Code for responses' }).getByText('client.responses.create').waitFor()
    expect(faults).toEqual([])
  })

  it('finds in Headgate’s own pages what is searched', async () => {
    const { page, faults, open: go } = await open(scene.origin, { person: scene.people.member, allowed })
    await go('/playground?kind=search')
    for (const words of ['routing', 'budget', 'rate limits']) {
      await page.getByLabel('Query', { exact: true }).fill(words)
      // What the search before has found is still shown when this one begins.
      const answered = page.waitForResponse((response) => new URL(response.url()).searchParams.get('q') === words)
      await page.getByRole('button', { name: 'Search', exact: true }).click()
      expect((await answered).status(), words).toBe(200)
      await page.getByText(/About [\d,]+ results/).waitFor()
      await page.getByRole('main').locator('ol li a').first().waitFor()
    }
    expect(faults).toEqual([])
  })

  it('makes a picture and speech, transcribes the speech, and classifies a text, at the width of a phone', async () => {
    const viewport = { width: 360, height: 740 }
    const { page, faults, open: go } = await open(scene.origin, { person: scene.people.member, allowed, viewport })
    const isWide = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    await go('/playground?kind=images&models=demo')
    await page.getByLabel('Prompt').fill('A fox')
    await page.getByLabel('Number').fill('2')
    await page.getByLabel('Number').press('Enter')
    await page.getByText('PNG, 256 × 256 pixels').nth(1).waitFor()
    expect(await page.getByRole('img', { name: 'A fox' }).count()).toBe(2)
    await page.getByText(/^Cost \$/).waitFor()
    await page.getByRole('tab', { name: 'Cost' }).click()
    await page.getByRole('link', { name: 'Open request' }).waitFor()
    expect(await isWide()).toBeLessThanOrEqual(0)

    await page.getByRole('tab', { name: 'Speech' }).click()
    await page.getByLabel('Text', { exact: true }).fill('Hello there.')
    await page.getByRole('button', { name: 'Generate speech' }).click()
    const player = page.getByLabel('Generated speech')
    await player.waitFor()
    const heard = await player.evaluate(async (element: HTMLAudioElement) => {
      element.muted = true
      await element.play()
      if (!element.ended) await new Promise((resolve) => element.addEventListener('ended', resolve, { once: true }))
      return { error: element.error?.message, seconds: element.duration }
    })
    expect(heard).toEqual({ error: undefined, seconds: expect.closeTo(0.72, 2) })
    const saved = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    const recording = await (await saved).path()

    await page.getByRole('tab', { name: 'Transcription' }).click()
    await page.locator('input[type=file]').setInputFiles({
      name: 'speech.wav',
      mimeType: 'audio/wav',
      buffer: readFileSync(recording),
    })
    await page.getByRole('button', { name: 'Transcribe' }).click()
    await page.getByRole('table', { name: 'Segments' }).getByText('0:00.720').waitFor()
    expect(await isWide()).toBeLessThanOrEqual(0)

    await page.getByRole('tab', { name: 'Moderations' }).click()
    await page.getByLabel('Content', { exact: true }).fill('Good morning.\nI will kill you.')
    await page.getByLabel('Classify each line separately').check()
    await page.getByRole('button', { name: 'Classify' }).click()
    const second = page.getByRole('article', { name: 'Content 2' })
    await second.getByRole('row', { name: /violence.*flagged.*0\.9900/ }).waitFor()
    expect(await page.getByRole('article').locator('p').allInnerTexts()).toEqual([
      expect.stringMatching(/^not flagged/),
      expect.stringMatching(/^flagged/),
    ])
    expect(await isWide()).toBeLessThanOrEqual(0)
    expect(faults).toEqual([])
  })

  it('makes a video, and plays it by an address of the gateway', async () => {
    const { page, faults, open: go } = await open(scene.origin, { person: scene.people.member, allowed })
    await go('/playground?kind=video&models=demo')
    await page.getByLabel('Prompt').fill('A cat that surfs')
    await page.getByLabel('Seconds').fill('1')
    await page.getByRole('button', { name: 'Generate video' }).click()
    const video = page.locator('video')
    await video.waitFor()
    expect(new URL((await video.getAttribute('src')) ?? '', scene.origin).origin).toBe(scene.origin)
    const played = await video.evaluate(async (element: HTMLVideoElement) => {
      element.muted = true
      await element.play()
      if (element.currentTime === 0)
        await new Promise((resolve) => element.addEventListener('timeupdate', resolve, { once: true }))
      if (!element.ended) await new Promise((resolve) => element.addEventListener('ended', resolve, { once: true }))
      return {
        ready: element.readyState,
        at: element.currentTime,
        error: element.error?.message,
        width: element.videoWidth,
      }
    })
    expect(played).toMatchObject({ ready: expect.any(Number), error: undefined })
    expect(played.ready).toBeGreaterThanOrEqual(2)
    expect(played.at).toBeGreaterThan(0.5)
    expect(played.width).toBeGreaterThan(0)
    expect(faults).toEqual([])
  })
})
