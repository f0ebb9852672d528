// The entry point of the target `dev`: a service begins again when a file that it imports has changed; a job or a command runs once.
const [program = '', ...rest] = process.argv.slice(2);
const watch = /^services\/[^/]+\/main\.ts$/.test(program) ? ['--watch', '--watch-preserve-output'] : [];
process.execve(process.execPath, [process.execPath, ...watch, program, ...rest], process.env);
