interface Changeset {
  /** Markdown. */
  readonly summary: string
  /** Commit that added the changeset. Absent if it is not committed. */
  readonly commit?: string | undefined
}

interface Dependency {
  readonly name: string
  readonly newVersion: string
}

/**
 * Changelog entries for `changeset version`, as in `@changesets/cli/changelog`, but with a single line for all updated
 * dependencies of a release. The original repeats the line for each changeset of a dependency. Has no imports, because
 * tests load it from a copy of the repository.
 *
 * @see https://github.com/changesets/changesets/blob/main/docs/modifying-changelog-format.md
 */
export default {
  getReleaseLine({ summary, commit }: Changeset): string {
    const lines = summary.trimEnd().split('\n').join('\n  ')
    return `- ${commit ? `${commit.slice(0, 7)}: ` : ''}${lines}`.replaceAll(/ +$/gm, '')
  },

  getDependencyReleaseLine(_: readonly Changeset[], updated: readonly Dependency[]): string {
    const lines = updated.map(({ name, newVersion }) => `  - ${name}@${newVersion}`)
    return lines.length === 0 ? '' : ['- Updated dependencies:', ...lines].join('\n')
  },
}
