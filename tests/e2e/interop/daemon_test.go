package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
)

const root = "../../.."

var (
	build  = os.Getenv("CUZK_TEST_BUILD")
	params = os.Getenv("CUZK_TEST_PARAMS")
)

// daemon is a cuzk-daemon on a unix socket and on TCP, with its own folder.
type daemon struct {
	t       *testing.T
	folder  string
	process *exec.Cmd
}

func startDaemon(t *testing.T, config string) *daemon {
	t.Helper()
	d := &daemon{t: t, folder: t.TempDir()}
	text := fmt.Sprintf("[daemon]\nlisten = [\"unix://%s\", \"127.0.0.1:0\"]\n[srs]\nparam_cache = %q\n%s",
		d.socket(), params, config)
	d.write("cuzk.toml", text)
	log, err := os.Create(filepath.Join(d.folder, "log"))
	check(t, err)
	defer log.Close()
	d.process = exec.Command(filepath.Join(build, "cuzk-daemon"), "--config", filepath.Join(d.folder, "cuzk.toml"))
	d.process.Stdout, d.process.Stderr = log, log
	check(t, d.process.Start())
	t.Cleanup(d.stop)
	d.waitLog("cuzk-daemon ready")
	return d
}

func (d *daemon) socket() string { return filepath.Join(d.folder, "cuzk.sock") }

func (d *daemon) write(name, text string) string {
	path := filepath.Join(d.folder, name)
	check(d.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (d *daemon) log() string {
	text, err := os.ReadFile(filepath.Join(d.folder, "log"))
	check(d.t, err)
	return string(text)
}

func (d *daemon) waitLog(words string) {
	d.t.Helper()
	for until := time.Now().Add(30 * time.Second); !strings.Contains(d.log(), words); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			d.t.Fatalf("no %q in the daemon's output:\n%s", words, d.log())
		}
	}
}

// tcp is the address that the daemon has taken.
func (d *daemon) tcp() string {
	port := regexp.MustCompile(`listening on TCP.* port=(\d+)`).FindStringSubmatch(d.log())
	if port == nil {
		d.t.Fatalf("no port in the daemon's output:\n%s", d.log())
	}
	return "127.0.0.1:" + port[1]
}

func (d *daemon) dial(target string, options ...grpc.DialOption) *grpc.ClientConn {
	d.t.Helper()
	const most = 256 << 20
	options = append(options, grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(most), grpc.MaxCallSendMsgSize(most)))
	connection, err := grpc.Dial(target, options...)
	check(d.t, err)
	d.t.Cleanup(func() { connection.Close() })
	return connection
}

// stop ends the daemon in order, which must succeed.
func (d *daemon) stop() {
	check(d.t, d.process.Process.Signal(syscall.SIGTERM))
	killer := time.AfterFunc(60*time.Second, func() { d.process.Process.Kill() })
	defer killer.Stop()
	if err := d.process.Wait(); err != nil {
		d.t.Errorf("the daemon ended with %v:\n%s", err, d.log())
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
