import { availableParallelism } from "node:os"
import { writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { benchmarks } from "./benchmarks.ts"
import { passes } from "./Figure.ts"
import { document, type Measured, table } from "./report.ts"
import { disturbance, waitForQuiet } from "./setting/quietly.ts"

const usage = `pnpm bench [NAME...] [--json FILE] [--strict] [--patience FACTOR] [--wait SECONDS] [--profiles FOLDER]

  NAME        ${benchmarks.map(({ name }) => name).join(", ")}; all of them when none is named
  --json      writes the figures to a file as well
  --strict    ends with exit code 1 when a target is missed
  --patience  multiplies how long each round lasts, 1 by default
  --wait      how long each round waits for other programs to be quiet, 5 by default
  --profiles  writes CPU profiles of the platform's process into a folder
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "string" },
    strict: { type: "boolean", default: false },
    patience: { type: "string", default: "1" },
    wait: { type: "string", default: "5" },
    profiles: { type: "string" },
    help: { type: "boolean", default: false }
  }
})

const unknown = positionals.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name))
if (values.help || unknown.length > 0) {
  process.stderr.write(unknown.length > 0 ? `There is no benchmark ${unknown.join(", ")}\n\n${usage}` : usage)
  process.exit(unknown.length > 0 ? 2 : 0)
}

const machine = `${availableParallelism()} cores, Node ${process.versions.node}`
const note = (text: string) => void process.stderr.write(`  … ${text}\n`)
const measured: Array<Measured> = []
waitForQuiet(Number(values.wait))

for (const { name, run } of benchmarks) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  process.stderr.write(`${name}\n`)
  const figures = await run({ note, patience: Number(values.patience), profiles: values.profiles })
  process.stdout.write(table(name, figures))
  measured.push(...figures.map((figure) => ({ benchmark: name, ...figure })))
}

const missed = measured.filter((figure) => passes(figure) === false)
process.stdout.write(missed.length === 0 ? "Every target is kept\n" : `${missed.length} targets are missed\n`)
const { median, most } = disturbance()
const share = (part: number) => `${(part * 100).toFixed(0)} %`
process.stdout.write(
  `Other programs took ${share(median)} of the machine in the median round, ${share(most)} at most\n`
)
if (values.json !== undefined) await writeFile(values.json, document(measured, machine, disturbance()))
process.exitCode = values.strict && missed.length > 0 ? 1 : 0
