import { parseAst } from "vitest/node"

export interface Import {
  readonly specifier: string
  /** The imported names, as the other file calls them. */
  readonly names: ReadonlyArray<string>
  /** A lazy one is loaded when the program comes to it. */
  readonly kind: "import" | "lazy" | "re-export"
  readonly line: number
}

/** A read of a global's property or a call of its constructor, such as `process.env`, `Date.now` or `new Date()`. */
export interface Use {
  readonly text: string
  readonly line: number
}

export interface SourceFile {
  /** From the top of the repository, with forward slashes. */
  readonly path: string
  readonly imports: ReadonlyArray<Import>
  readonly uses: ReadonlyArray<Use>
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

/** Reads a TypeScript file with a real parser, so that comments and strings are never mistaken for code. */
export const readSource = (path: string, text: string): SourceFile => {
  const imports: Array<Import> = []
  const uses: Array<Use> = []
  const findLine = (node: Node) => text.slice(0, node.start).split("\n").length
  visit(parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" }, path) as unknown as Node, (node) => {
    const found = importIn(node)
    if (found !== undefined) imports.push({ ...found, line: findLine(node) })
    const use = useIn(node)
    if (use !== undefined) uses.push({ text: use, line: findLine(node) })
  })
  return { path, imports, uses }
}

const visit = (value: unknown, see: (node: Node) => void): void => {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, see)
  } else if (typeof value === "object" && value !== null) {
    if (typeof (value as Node).type === "string") see(value as Node)
    for (const child of Object.values(value)) visit(child, see)
  }
}

const importIn = (node: Node): Omit<Import, "line"> | undefined => {
  const source = node.source as { readonly value?: unknown } | null | undefined
  if (typeof source?.value !== "string") return undefined
  switch (node.type) {
    case "ImportDeclaration":
      return { specifier: source.value, names: importedNames(node), kind: "import" }
    case "ImportExpression":
      return { specifier: source.value, names: [], kind: "lazy" }
    case "TSImportType":
      return { specifier: source.value, names: [], kind: "import" }
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
      return { specifier: source.value, names: [], kind: "re-export" }
    default:
      return undefined
  }
}

const importedNames = (node: Node) =>
  (node.specifiers as ReadonlyArray<{ readonly imported?: { readonly name?: string } }>).flatMap(({ imported }) =>
    imported?.name === undefined ? [] : [imported.name]
  )

const useIn = (node: Node): string | undefined => {
  if (node.type === "MemberExpression" && node.computed !== true) {
    const [object, property] = [findName(node.object), findName(node.property)]
    return object === undefined || property === undefined ? undefined : `${object}.${property}`
  }
  if (node.type === "NewExpression") {
    return findName(node.callee) === "Date" && (node.arguments as ReadonlyArray<unknown>).length === 0
      ? "new Date()"
      : undefined
  }
  return undefined
}

const findName = (node: unknown) => {
  const { type, name } = node as { readonly type: string; readonly name?: string }
  return type === "Identifier" ? name : undefined
}
