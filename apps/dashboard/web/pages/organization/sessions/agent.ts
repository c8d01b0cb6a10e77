/** What browsers say of themselves, as people call it. The order counts: most say that they are several. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(?:Headless)?Chrome\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** A user agent in short: `Firefox on Linux`. What is none that is known stays as it is. */
export function agentName(agent: string | undefined): string {
  if (agent === undefined) return 'unknown'
  const [browser, system] = [BROWSERS, SYSTEMS].map((known) => known.find(([mark]) => mark.test(agent))?.[1])
  if (browser === undefined) return agent
  return system === undefined ? browser : `${browser} on ${system}`
}
