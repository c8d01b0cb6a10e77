import type { Settings } from '../config/settings.ts'
import { basePathOf } from '../service/base-path.ts'
import { createSite, type Site } from './site.ts'
import type { SiteFile } from './site-file.ts'

/** Reads the files of the dashboard; none where it has not been built. */
export type SiteSource = () => readonly SiteFile[] | Promise<readonly SiteFile[]>

const built: SiteSource = async () => (await import('@headgate/dashboard')).dashboardFiles()

/** The dashboard of a program; undefined where its configuration wants none, or has no people who could sign in. */
export async function openSite(
  { config, publicUrl }: Pick<Settings, 'config' | 'publicUrl'>,
  files: SiteSource = built,
): Promise<Site | undefined> {
  return config.dashboard === false || config.accounts === false
    ? undefined
    : createSite(await files(), basePathOf(publicUrl))
}
