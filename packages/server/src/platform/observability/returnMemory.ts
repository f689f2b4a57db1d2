/**
 * Settings of glibc, which it reads when a process starts. By default it raises the size from which a block gets pages of its own; large
 * blocks then lie among small ones, whose pages are not returned. docs/performance.md has the measurement.
 */
const settings = { MALLOC_MMAP_THRESHOLD_: "16384", MALLOC_TRIM_THRESHOLD_: "131072" }

/**
 * Starts the program again in the same process, with settings that let idle memory return to the system, unless the environment has them.
 * A process with a channel to its parent would lose it, and other systems have other allocators.
 */
export const returnMemory = (env: NodeJS.ProcessEnv) => {
  const isSet = Object.keys(settings).some((name) => env[name] !== undefined)
  if (isSet || process.platform !== "linux" || process.send !== undefined) return
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, command, { ...env, ...settings })
}
