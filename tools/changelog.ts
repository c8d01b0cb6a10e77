interface Changeset {
  /** Markdown. */
  readonly summary: string
  /** Commit that added the changeset; absent = not committed. */
  readonly commit?: string | undefined
}

interface Dependency {
  readonly name: string
  readonly newVersion: string
}

/**
 * Entries of changelogs for `changeset version`: those of `@changesets/cli/changelog`, but with one line for all updated
 * dependencies of a release. The original repeats that line for each changeset of a dependency. Without imports, because
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
