/**
 * Writes home.csv: one year by the hour of one home with solar panels. `--check` writes nothing and fails when the
 * file beside this script is not what it would write.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { intervalStart, wallClock } from "./calendar.ts"
import { loadEnergy } from "./load.ts"
import { uniform } from "./random.ts"
import { solarEnergy } from "./solar.ts"
import { makeWeather } from "./weather.ts"

const DAYS = 365
const SEEDS = { passingCloud: 3, load: 4 }
const file = new URL("home.csv", import.meta.url)

const generate = (): string => {
  const { cloudCover, temperature } = makeWeather()
  const drawCloud = uniform(SEEDS.passingCloud)
  const drawLoad = uniform(SEEDS.load)
  const lines = ["interval_start,load_wh,solar_wh"]
  for (let day = 0; day < DAYS; day++) {
    const today = temperature.slice(day * 24, day * 24 + 24)
    const dayMean = today.reduce((sum, degrees) => sum + degrees, 0) / 24
    for (let hour = 0; hour < 24; hour++) {
      const degrees = today[hour]!
      // Passing clouds: an hour's cover wanders about the day's, most on half-covered days.
      const cover = cloudCover[day]!
      const hourCover = Math.min(1, Math.max(0, cover + 0.9 * cover * (1 - cover) * (2 * drawCloud() - 1)))
      const solar = solarEnergy(day, hour, hourCover, degrees)
      const load = loadEnergy({ ...wallClock(day, hour), temperature: degrees, dayMean }, drawLoad)
      lines.push(`${intervalStart(day, hour)},${Math.round(load)},${Math.round(solar)}`)
    }
  }
  return lines.join("\n") + "\n"
}

const main = (): void => {
  const fresh = generate()
  if (!process.argv.includes("--check")) {
    writeFileSync(file, fresh)
    return
  }
  if (readFileSync(file, "utf8") !== fresh) {
    process.stderr.write("home.csv is not what generate.ts writes: run it without --check and commit the file\n")
    process.exitCode = 1
  }
}

main()
