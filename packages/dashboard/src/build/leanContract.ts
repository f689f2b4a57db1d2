import type { Plugin } from "vite"

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Partial<Node>).type === "string"

const childNodes = (node: Node): ReadonlyArray<Node> => Object.values(node).flat().filter(isNode)

/** The name of the function or method that a call calls. */
const calledName = ({ callee }: Node) => {
  const named = isNode(callee) && callee.type === "MemberExpression" ? callee["property"] : callee
  return isNode(named) ? named["name"] : undefined
}

/** Properties that only the reference of the API shows. */
const prose = new Set(["description", "examples"])

/** Removes descriptions and examples from annotations. */
const withoutProse = (annotations: Node): ReadonlyArray<Edit> => {
  const properties = annotations["properties"] as ReadonlyArray<Node>
  return properties.flatMap((property, index) => {
    const { key } = property
    if (!isNode(key) || !prose.has(String(key["name"]))) return []
    return [{ start: property.start, end: properties[index + 1]?.start ?? annotations.end - 1, text: "" }]
  })
}

const proseEdits = (node: Node): ReadonlyArray<Edit> => {
  if (node.type !== "CallExpression") return childNodes(node).flatMap(proseEdits)
  const given = node["arguments"] as ReadonlyArray<Node>
  const rest = childNodes(node["callee"] as Node).flatMap(proseEdits)
  const name = calledName(node)
  if (name === "describe") {
    const [, ...messages] = given
    return [...messages.map(({ start, end }) => ({ start, end, text: '""' })), ...rest]
  }
  return (name === "annotate" || name === "annotations") && given[0]?.type === "ObjectExpression"
    ? [...withoutProse(given[0]), ...rest]
    : [...given.flatMap(proseEdits), ...rest]
}

/** The value of each constant of a module that is a call. */
const calls = (body: ReadonlyArray<Node>): ReadonlyArray<Node> =>
  body.flatMap((statement) => {
    const declaration = isNode(statement["declaration"]) ? statement["declaration"] : statement
    if (declaration.type !== "VariableDeclaration") return []
    return (declaration["declarations"] as ReadonlyArray<Node>)
      .map(({ init }) => init)
      .filter((init): init is Node => isNode(init) && init.type === "CallExpression")
  })

/**
 * Makes the contract light for the page. Its schemas are marked as free of side effects, so that a page carries only those that it
 * uses: the compiler keeps a constant whose value is a call, because it cannot know that a schema's methods change nothing. Their
 * descriptions and examples, and those of the endpoints, are left out.
 */
export const leanContract: Plugin = {
  name: "lean-contract",
  apply: "build",
  transform: {
    filter: { id: /\/packages\/domain\/src\/.*\.ts$/ },
    handler(code) {
      const body = this.parse(code, { lang: "ts" }).body as unknown as ReadonlyArray<Node>
      const edits = [
        ...body.flatMap(proseEdits),
        ...calls(body).flatMap(({ start, end }) => [
          { start, end: start, text: "/* @__PURE__ */ (() => " },
          { start: end, end, text: ")()" }
        ])
      ].toSorted((one, other) => other.start - one.start)
      let lean = code
      for (const { start, end, text } of edits) lean = lean.slice(0, start) + text + lean.slice(end)
      return { code: lean, map: null }
    }
  }
}
