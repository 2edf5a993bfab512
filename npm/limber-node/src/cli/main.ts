#!/usr/bin/env node
import { run } from './command.js'

// Whoever reads may stop reading: `limber list | head`.
process.stdout.on('error', () => process.exit())
process.exitCode = await run(process.argv.slice(2))
