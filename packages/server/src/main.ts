/**
 * glibc raises the size from which a block gets pages of its own whenever one is freed; from then on large blocks lie
 * among small ones, whose pages nobody gets back. Said before the process starts, it stays. The embedded database would
 * take a second longer to be made.
 */
const allocation = { MALLOC_MMAP_THRESHOLD_: "16384", MALLOC_TRIM_THRESHOLD_: "131072" }

const isSaid = Object.keys(allocation).some((name) => process.env[name] !== undefined)
const isEmbedded = (process.env["DATABASE_URL"] ?? "").trim() === ""

// The same process, begun once more. A parent's channel would not outlive it.
if (process.platform === "linux" && !isSaid && !isEmbedded && process.channel === undefined) {
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, args, { ...process.env, ...allocation })
}

await import("./program.ts")
