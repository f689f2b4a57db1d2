/** Words that the repository's texts may not contain: they describe the project as it is, and nothing else. */
export interface WordRule {
  readonly name: string
  readonly pattern: RegExp
  /** Paths that the rule is for; all without it. */
  readonly within?: RegExp
}

// A letter in brackets keeps a pattern from finding itself.
export const wordRules: ReadonlyArray<WordRule> = [
  { name: "no path of somebody's machine", pattern: /(?<![\w.$}/-])\/(?:[w]ork|[h]ome|Users|root)\/[\w.-]/ },
  {
    name: "no package registry",
    pattern: /[r]egistry\.(?:npmjs|yarnpkg)|\/\/[^/\s"'`)]*(?:[r]egistry|artifactory|nexus|verdaccio)/i
  },
  { name: "no registry setting", pattern: /^\s*(?:@\w+:)?[r]egistry\s*=/m },
  { name: "no work left to do", pattern: /\b(?:T[O]DO|F[I]XME)\b/ },
  {
    name: "no reference to papers outside the repository",
    pattern: /§\s?\d|\b(?:decisions|service|house|field-notes|effect-4)\.m[d]\b/
  },
  {
    name: "no private notes",
    pattern: /\b(?:as (?:asked|requested|instructed)|per the (?:brief|ticket)|[w]ork item)\b/i
  },
  {
    name: "comments that are sentences or name a thing",
    pattern: /^\s*(?:\/\*\*|\/\/) (?:[W]hat|[W]ho|[W]hose|[W]here|[O]f) /m,
    within: /^test\/(?:architecture|e2e|support)\/.*\.ts$/
  }
]

export interface Finding {
  readonly rule: string
  readonly place: string
}

export const checkWording = (path: string, text: string): ReadonlyArray<Finding> =>
  wordRules
    .filter(({ within }) => within?.test(path) !== false)
    .flatMap(({ name, pattern }) => {
      const found = new RegExp(pattern, pattern.flags.replace("g", "")).exec(text)
      return found === null
        ? []
        : [{ rule: name, place: `${path}:${text.slice(0, found.index).split("\n").length} ${found[0].trim()}` }]
    })
