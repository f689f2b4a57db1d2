/** Words that the repository's texts may not contain: they describe the project as it is, and nothing else. */
export interface WordRule {
  readonly name: string
  readonly pattern: RegExp
  /** Paths that the rule is for; all without it. */
  readonly within?: RegExp
}

/** TypeScript files, except released migrations, which are never changed. */
const typescript = /^(?:packages|test|examples)\/(?!.*\/sql\/migrations\/).*\.tsx?$/
const tests = /^test\/.*\.ts$/

/** First words of fragments that are not sentences: the subject of a sentence or the name of a thing comes first. */
const openings = ["What", "Who", "Whose", "Whom", "Where", "Of", "Such"]

/** Names that were replaced: CONTRIBUTING.md has the terms that are used instead. */
const replaced = [
  "[s]hareEqual",
  "[l]aneSlots",
  "[p]laceFigures",
  "[r]olledUntil",
  "[f]rozenUntil",
  "[r]ollTail",
  "[F]rozenEnergy",
  "[k]eptSet",
  "[k]ept set",
  "[h]asten",
  "[t]akeBack",
  "[l]etGo",
  "[r]eadSoon",
  "[t]oItsEnd",
  "[b]ringBack",
  "[n]oteOutcomes",
  "[l]ookPause",
  "[h]andOver",
  "[h]andedOver",
  "(?:is)?[iI][n]Hand",
  // The name of a product is no alias.
  "(?<!eM4 )(?:is)?[tT][w]in(?:s|Api)?",
  "DispatchC[o]urse",
  "(?:serve)?[dD]i[a]lIns?(?:Server|Refused)?",
  "(?:use|define|kit)T[e]xts",
  "(?:use|Alert|Bulk)A[c]ts?",
  "H[o]mesRepository",
  "P[l]acedWords",
  "(?:Site|written|read|point|command)P[l]aces?",
  "defectP[l]ace",
  "(?:common|connect|enroll|legend)T[e]xts",
  "eventW[o]rds",
  // `retryNoAnswer` and AccountProblem's `answers` are released.
  "[a]nswer(?:s[A-Z]\\w*)?",
  "(?!retryNo|is|has)[a-z]+A[n]swers?",
  "(?!Un)[A-Z]\\w*A[n]swers?(?!ed)"
]

/** Phrases of texts, comments and documents that were replaced. Released keys and the changelog stay; CONTRIBUTING.md lists the replaced words. */
const phrases = [
  "(?:[aA]n|[tT]he|[iI]ts|[tT]heir|[nN]o|[eE]ach|[eE]very|[aA] late|[tT]his|whose) a[n]swers?",
  "(?:does|did|do|can|must|will) (?:not )?a[n]swer",
  "[hH]and(?:s|ed|ing)? (?:it |them |a command |the commands )?o[v]er",
  "[dD]i[a]l(?:s|led)?[- ]in",
  "[tT]heir f[a]te",
  "[C]ounted now",
  "There is no such p[a]ge",
  "of the time m[e]asured",
  "Goal that goes f[i]rst",
  "Without a value, (?:n[o]w|the gr[e]atest)",
  "a person or a k[e]y",
  "Fails if it is not a[c]cepted by then",
  "Sites that c[o]unt",
  '(?:[fF]or|Name, for) p[e]ople(?:,|;|\\.|"|:)',
  "M[e]asure again",
  "Until then it b[l]ocks",
  "Whoever o[p]erates",
  "Looks are f[r]equent",
  "[tT]ells? w[h]ether",
  "[lL]ooks w[h]ether",
  "if nothing t[e]lls",
  "hosts that p[e]ople name",
  "takes h[o]mes in(?! \\$\\{list| Nevada)"
]

/** Names that say too little where they are defined. */
const vague = ["told", "strokes", "causes", "Told", "Lane", "Part", "Place", "Some", "Go", "Lead", "At"]

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
    pattern: new RegExp(`(?:^|\\s)(?:/\\*\\*|//)\\s+(?:\\*\\s+)?(?:${openings.join("|")}) `, "m"),
    within: typescript
  },
  {
    name: "test names that are sentences",
    pattern: new RegExp(
      `^\\s*(?:(?:it|test|describe)\\b[^\\n"\`]*|\\]\\)|\\] as const\\))\\(\\s*["\`](?:${openings.join("|")}) `,
      "im"
    ),
    within: tests
  },
  {
    name: "helpers that are named by what they do or return",
    pattern: /\b(?:const|let|function) (?!(?:oneOf|anyOf|isOneOf|isAnyOf|refusalOf)\b)[a-z]\w*[O]f\b/,
    within: typescript
  },
  {
    name: "names that the field uses",
    pattern: new RegExp(
      `\\b(?:${replaced.join("|")})\\b|\\b(?:const|let|function|type|interface|class) (?:${vague.join("|")})\\b`
    ),
    within: typescript
  },
  {
    name: "texts in the words of the field",
    pattern: new RegExp(`(?<![\\w-])(?:${phrases.join("|")})`),
    within:
      /^(?!(?:CHANGELOG|CONTRIBUTING)\.md$|.*\/sql\/migrations\/|.*schema\.sql$|.*\.json$|test\/architecture\/wording\.ts$).*\.(?:tsx?|md|html|css|yml)$/
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
