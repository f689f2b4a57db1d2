// Runs command lines of an installed `edp` one after another in this process, as `bin/edp.js` runs one. Every supported version of
// Node.js runs this file. Arguments: the package's lib/main.js, a file with the lines, and one for what they gave.
import { readFileSync, writeFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const [library, input, output] = process.argv.slice(2)
const { lines, names } = JSON.parse(readFileSync(input, "utf8"))
const { main } = await import(pathToFileURL(library).href)

const MOST_TRIES = 100
const PAUSE_MS = 100
const form = /^(?<marks>[!~?]*) ?(?:(?<name>\w+)(?::(?<path>\S+))? = )?(?<command>.*)$/u

const results = []
let current = { line: "", tries: 0, code: 0, stdout: "", stderr: "" }
for (const stream of ["stdout", "stderr"]) {
  process[stream].write = (chunk, encoding, done) => {
    current[stream] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8")
    const called = typeof encoding === "function" ? encoding : done
    called?.()
    return true
  }
}
// A line that fails asks for the end of the process, which comes when all lines have run.
process.exit = (code) => {
  current.code = code
}

const wordsOf = (command) =>
  [...command.matchAll(/'([^']*)'|(\S+)/gu)].map(([, quoted, plain]) =>
    (quoted ?? plain).replace(/\$(\w+)/gu, (_, name) => {
      return names[name] ?? `nothing-is-called-${name}`
    })
  )

const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
const idIn = (text, path) => {
  const json = parsed(text)
  if (json === undefined) return /^id +(\S+)$/mu.exec(text)?.[1]
  if (path === undefined) return json.id ?? json.data?.[0]?.id
  return path.split(".").reduce((value, key) => (Array.isArray(value) ? value.at(Number(key)) : value?.[key]), json)
}

const begin = (line, tries) => {
  current = { line, tries, code: 0, stdout: "", stderr: "" }
  main(wordsOf(form.exec(line).groups.command))
}

/** A line has ended when nothing of it keeps the process alive. */
process.on("beforeExit", () => {
  const { line, tries } = current
  if (line !== "") {
    const { marks, name, path } = form.exec(line).groups
    const id = name === undefined ? undefined : idIn(current.stdout, path)
    if (marks.includes("?") && id === undefined && tries < MOST_TRIES) {
      return void setTimeout(() => begin(line, tries + 1), PAUSE_MS)
    }
    if (name !== undefined && id !== undefined) names[name] = id
    results.push({ line, code: current.code, stdout: current.stdout, stderr: current.stderr })
    current = { line: "", tries: 0, code: 0, stdout: "", stderr: "" }
  }
  const next = lines[results.length]
  if (next !== undefined) return begin(next, 1)
  writeFileSync(output, JSON.stringify({ version: process.versions.node, names, results }))
})
