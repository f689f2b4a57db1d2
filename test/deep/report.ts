/** Prints rows, of which the first is the header, as a table of Markdown. */
export const printTable = ([header, ...rest]: ReadonlyArray<ReadonlyArray<string | number>>) => {
  const cells = [header!, header!.map(() => "---"), ...rest]
  process.stdout.write(`${cells.map((each) => `| ${each.join(" | ")} |`).join("\n")}\n\n`)
}

/** Prints what is violated, and lets the program end with exit code 1 if anything is. */
export const printVerdict = (violated: ReadonlyArray<string>) => {
  process.stdout.write(
    violated.length === 0 ? "Every invariant holds\n" : `Violated:\n${violated.map((one) => `  ${one}\n`).join("")}`
  )
  process.exitCode = violated.length === 0 ? 0 : 1
}
