/** Writes a line to the parent process. */
export const say = (line: string) => void process.stdout.write(`${line}\n`)

export const complain = (line: string) => void process.stderr.write(`${line}\n`)
