import { parseAst } from "vitest/node"

/** How a statement touches a table. */
export interface TableUse {
  readonly table: string
  readonly kind: "read" | "write"
  readonly line: number
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

/** A text of a program that may hold SQL: a template with its interpolations taken out, or a string. */
interface SqlText {
  readonly text: string
  readonly start: number
  /** Names that the statement gives to its own parts, so that they are no tables there. */
  readonly ownNames: ReadonlySet<string>
}

/** An interpolation in SQL: a parameter, a fragment, or a name that is known only when the program runs. */
const HOLE = "¤"

/**
 * The tables that a TypeScript file names in SQL. All templates and strings are read, because fragments are kept in plain ones, too;
 * keywords count in capitals alone, as the repository writes them, so that prose is never mistaken for SQL.
 */
export const tablesIn = (path: string, text: string): ReadonlyArray<TableUse> =>
  readTexts(path, text).flatMap(({ ownNames, start, text: sql }) =>
    namedTables(sql)
      .filter(({ table }) => !ownNames.has(table))
      .map(({ at, kind, table }) => ({ kind, table, line: lineAt(text, start) + lineAt(sql, at) - 1 }))
  )

/** A text with one of these words is SQL. */
const keywords = /\b(?:SELECT|FROM|JOIN|WHERE|UPDATE|INSERT|DELETE|RETURNING|AND|ON)\b/

/** All words of a file's SQL, and the strings that are a single word: names of tables that are put into SQL elsewhere are among them. */
export const wordsIn = (path: string, text: string): ReadonlyArray<{ readonly word: string; readonly line: number }> =>
  readTexts(path, text).flatMap(({ ownNames, start, text: sql }) => {
    const line = lineAt(text, start)
    if (/^[a-z_]+$/.test(sql)) return [{ word: sql, line }]
    if (!keywords.test(sql)) return []
    return tokenize(sql)
      .filter(({ text: word }) => !ownNames.has(word))
      .map(({ at, text: word }) => ({ word, line: line + lineAt(sql, at) - 1 }))
  })

const lineAt = (text: string, at: number) => text.slice(0, at).split("\n").length

const readTexts = (path: string, text: string): ReadonlyArray<SqlText> => {
  const found: Array<SqlText> = []
  const add = (node: Node, sql: string, outer: ReadonlySet<string>) => {
    const ownNames = new Set([...outer, ...commonTableNames(sql)])
    found.push({ text: sql, start: node.start, ownNames })
    return ownNames
  }
  const visit = (value: unknown, ownNames: ReadonlySet<string>): void => {
    if (Array.isArray(value)) return value.forEach((item) => visit(item, ownNames))
    if (typeof value !== "object" || value === null) return
    const node = value as Node
    if (node.type === "ImportDeclaration") return
    if (node.type === "Literal" && typeof node.value === "string") add(node, node.value, ownNames)
    const inside = node.type === "TemplateLiteral" ? add(node, templateText(node), ownNames) : ownNames
    for (const child of Object.values(node)) visit(child, inside)
  }
  visit(parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" }, path), new Set())
  return found
}

const templateText = (node: Node): string => {
  const expressions = node.expressions as ReadonlyArray<Node>
  return (node.quasis as ReadonlyArray<{ readonly value: { readonly raw: string } }>)
    .map(({ value }, index) => (index === 0 ? value.raw : `${identifierIn(expressions[index - 1]!)}${value.raw}`))
    .join("")
}

/** The name in `sql("devices")`; a hole for any other expression. */
const identifierIn = (node: Node): string => {
  if (node.type !== "CallExpression") return HOLE
  const [callee, [first]] = [node.callee as Node, node.arguments as ReadonlyArray<Node>]
  return callee.name === "sql" && typeof first?.value === "string" ? first.value : HOLE
}

interface Token {
  readonly text: string
  readonly at: number
}

/** Words, marks and holes; without comments, and with a constant as a single mark. */
const tokenize = (sql: string): ReadonlyArray<Token> =>
  [...sql.matchAll(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|[A-Za-z_][\w$]*|[^\s\w]/g)]
    .filter(([text]) => !text.startsWith("--") && !text.startsWith("/*"))
    .map(({ 0: text, index }) => ({ at: index, text: text.startsWith("'") ? "'" : text.replaceAll('"', "") }))

/** The names of `WITH name AS (…), other (columns) AS MATERIALIZED (…)`. */
const commonTableNames = (sql: string): ReadonlyArray<string> =>
  [
    ...sql.matchAll(
      /(?:\bWITH(?:\s+RECURSIVE)?|,|¤)\s*([a-z_]\w*)\s*(?:\([^()]*\)\s*)?AS\s+(?:(?:NOT\s+)?MATERIALIZED\s*)?\(/g
    )
  ].map(([, name]) => name!)

/** Words that stand between a keyword and the table. */
const fillers = new Set(["ONLY", "LATERAL", "TABLE"])
/** The words that end a list of tables at their level of parentheses. */
const ends = new Set(
  "SELECT WHERE GROUP ORDER HAVING LIMIT OFFSET UNION EXCEPT INTERSECT WINDOW FOR RETURNING SET VALUES WHEN".split(" ")
)
/** An UPDATE after these words is a lock, a conflict's action or an event of a trigger. */
const notUpdates = new Set(["FOR", "KEY", "DO", "ON", "OR", "BEFORE", "AFTER"])
/** Functions whose arguments are separated by FROM. */
const functionsWithFrom = new Set(["extract", "substring", "trim", "overlay", "position"])

interface Level {
  /** The kind of the tables that follow a comma here. */
  list: "read" | "write" | undefined
  readonly call: string
}

interface Named {
  readonly table: string
  readonly kind: "read" | "write"
  readonly at: number
}

const namedTables = (sql: string): ReadonlyArray<Named> => {
  const tokens = tokenize(sql)
  const found: Array<Named> = []
  const levels: Array<Level> = [{ list: undefined, call: "" }]
  let expected: "read" | "write" | undefined
  tokens.forEach(({ at, text }, index) => {
    const level = levels.at(-1)!
    const before = tokens[index - 1]?.text ?? ""
    const after = tokens[index + 1]?.text ?? ""
    const started = startsTables(text, before, after, level)
    if (started !== undefined) {
      expected = started
      level.list = started
    } else if (text === "(") {
      levels.push({ list: expected === undefined ? undefined : level.list, call: before.toLowerCase() })
    } else if (text === ")") {
      if (levels.length > 1) levels.pop()
      expected = undefined
    } else if (text === ",") {
      expected = level.list
    } else if (ends.has(text)) {
      level.list = undefined
      expected = undefined
    } else if (expected !== undefined && !fillers.has(text)) {
      // A parenthesis after a table that is read belongs to a function; one after INSERT INTO holds the columns.
      const isName = /^[a-z_]/.test(text) && after !== "." && (after !== "(" || expected === "write")
      if (isName) found.push({ table: text, kind: expected, at })
      expected = undefined
    }
  })
  return found
}

const startsTables = (text: string, before: string, after: string, level: Level) => {
  switch (text) {
    case "FROM":
      if (before === "DELETE") return "write"
      return before === "DISTINCT" || functionsWithFrom.has(level.call) ? undefined : "read"
    case "JOIN":
      return "read"
    case "USING":
      return after === "(" ? undefined : "read"
    case "INTO":
      return before === "INSERT" || before === "MERGE" ? "write" : undefined
    case "UPDATE":
      return notUpdates.has(before) ? undefined : "write"
    case "TRUNCATE":
      return "write"
    case "LOCK":
      return after === "TABLE" ? "write" : undefined
    default:
      return undefined
  }
}
